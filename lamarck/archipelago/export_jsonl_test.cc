#include "lamarck/archipelago/export_jsonl.h"

#include <unistd.h>
#include <gtest/gtest.h>

#include <sstream>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/toy_engine_fixture.h"

namespace lamarck::archipelago {
namespace {

class ExportJsonl : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::to_string(::getpid()) +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    EvolverParts parts = toy_parts(
        [](const auto& parents, const auto& context) -> Result<FunctionPtr> {
          Rng rng = context.rng;
          const auto number =
              toy_number(*parents.back()) + rng.integer(-20, 20);
          Origin origin{.engine = "toy"};
          if (context.island == 0) {
            origin.system = "You improve numbers.";
            origin.prompt = "Improve 1.";
            origin.reply = "How about\n" + std::to_string(number) + "?";
          }
          return std::make_shared<Function>(
              0, std::make_shared<ToySkeleton>(number),
              std::make_shared<ToyEvaluator>(), origin);
        });
    parts.folder = folder_;
    const auto outcome =
        Evolver({.num_islands = 2, .max_cycles = 30}, std::move(parts)).run();
    ASSERT_TRUE(outcome) << outcome.error().message();
    counts_ = outcome->counts;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<Json> lines(const ExportOptions& options) {
    std::stringstream out;
    const auto count = export_jsonl(folder_ / "journal.jsonl", out, options);
    EXPECT_TRUE(count) << count.error().message();
    std::vector<Json> lines;
    for (std::string line; std::getline(out, line);) {
      lines.push_back(*parse_json(line));
    }
    EXPECT_EQ(static_cast<std::int64_t>(lines.size()), *count);
    return lines;
  }

  std::filesystem::path folder_;
  EvolverCounts counts_;
};

TEST_F(ExportJsonl, WritesOneLinePerStoredFunction) {
  const auto all = lines({});

  EXPECT_EQ(static_cast<std::int64_t>(all.size()), counts_.stored);
  for (const Json& line : all) {
    EXPECT_TRUE(line.contains("score")) << line;
    ASSERT_FALSE(line.at("parents").empty()) << line;
    EXPECT_TRUE(line.at("parents")[0].contains("source")) << line;
  }
}

TEST_F(ExportJsonl, WritesChatsForFunctionsOfModel) {
  const auto chats = lines({.only_chats = true});

  ASSERT_FALSE(chats.empty());
  for (const Json& line : chats) {
    EXPECT_EQ(line.at("completion"), line.at("source"));
    EXPECT_EQ(line.at("messages")[0].at("role"), "system");
    EXPECT_EQ(line.at("messages")[0].at("content"), "You improve numbers.");
    EXPECT_EQ(line.at("messages")[1].at("role"), "user");
    EXPECT_EQ(line.at("messages")[1].at("content"), "Improve 1.");
    EXPECT_EQ(line.at("messages")[2].at("role"), "assistant");
    EXPECT_EQ(line.at("messages")[2].at("content"),
              "How about\n" + line.at("source").get<std::string>() + "?");
  }
}

TEST_F(ExportJsonl, FiltersByImprovement) {
  const auto improved = lines({.only_improved = true});

  ASSERT_FALSE(improved.empty());
  EXPECT_LT(improved.size(), lines({}).size());
  for (const Json& line : improved) EXPECT_TRUE(line.at("improved")) << line;
}

TEST_F(ExportJsonl, FiltersByMinScore) {
  for (const Json& line : lines({.min_score = -450'000})) {
    EXPECT_GE(line.at("score"), -450'000) << line;
  }
}

TEST_F(ExportJsonl, IncludesFailedFunctionsIfConfigured) {
  EXPECT_EQ(static_cast<std::int64_t>(lines({.include_failed = true}).size()),
            counts_.stored + counts_.failed);
}

TEST_F(ExportJsonl, ReportsMissingJournal) {
  std::stringstream out;

  EXPECT_FALSE(export_jsonl(folder_ / "none.jsonl", out));
}

TEST(ExportJsonlErrors, WritesConversationsWithoutFunction) {
  const auto folder = std::filesystem::path(::testing::TempDir()) /
                      (std::to_string(::getpid()) + "export_errors");
  std::filesystem::remove_all(folder);
  EvolverParts parts = toy_parts(
      [](const auto& /*parents*/, const auto& /*context*/) -> MutationResult {
        return {Result<FunctionPtr>(
                    Error(ErrorCode::Unavailable, "The answer has no code.")),
                Origin{.engine = "toy",
                       .move = "repair",
                       .parents = {},
                       .system = "You improve numbers.",
                       .prompt = "Improve 1.",
                       .draft = "Why?",
                       .correction = "Give a number.",
                       .reply = "No."}};
      });
  parts.folder = folder;
  ASSERT_TRUE(
      Evolver({.num_islands = 1, .max_cycles = 1}, std::move(parts)).run());
  std::stringstream out;
  const auto count =
      export_jsonl(folder / "journal.jsonl", out, {.include_failed = true});
  std::filesystem::remove_all(folder);

  EXPECT_EQ(count.value(), 1);
  const Json line = parse_json(out.str()).value();
  EXPECT_EQ(line.at("failure"), "The answer has no code.");
  EXPECT_EQ(line.at("completion"), "No.");
  std::vector<std::string> roles;
  for (const Json& message : line.at("messages")) {
    roles.push_back(message.at("role"));
  }
  EXPECT_EQ(roles, (std::vector<std::string>{"system", "user", "assistant",
                                             "user", "assistant"}));
}

}  // namespace
}  // namespace lamarck::archipelago
