#include "lamarck/problems/problem_settings.h"

#include <unistd.h>
#include <gtest/gtest.h>

#include <fstream>

namespace lamarck::problems {
namespace {

using namespace std::chrono_literals;

class ProblemSettingsTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<ProblemSettings> settings(const std::string& text) const {
    std::ofstream(folder_ / kProblemSettingsFile) << text;
    return read_problem_settings(folder_);
  }
  // Without the folder.
  std::string error(const std::string& text) const {
    const auto read = settings(text);
    if (read) return "";
    const std::string message = read.error().message();
    return message.substr(message.find("problem.toml"));
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ("problem_settings" + std::to_string(getpid()));
};

TEST_F(ProblemSettingsTest, EverythingIsOptional) {
  const auto none = read_problem_settings(folder_);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->evaluate.empty());
  EXPECT_FALSE(none->time || none->goal || none->parallel);
  EXPECT_TRUE(settings(""));
}

TEST_F(ProblemSettingsTest, ReadsEveryKey) {
  const auto read = settings(
      "evaluate = ['node', 'score it.js']\ninputs = ['a', 'b']\ngoal = 3\n"
      "[limits]\ntime = '2min'\nmemory = '2GB'\nprocesses = 9\nparallel = 1\n"
      "[cascade]\nfloor = -1.5\n[cascade.floors]\nb = 2\n");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->evaluate, (std::vector<std::string>{"node", "score it.js"}));
  EXPECT_EQ(read->inputs, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read->goal, 3);
  EXPECT_EQ(read->time, 2min);
  EXPECT_EQ(read->memory_bytes, 2ULL << 30U);
  EXPECT_EQ(read->processes, 9U);
  EXPECT_EQ(read->parallel, 1U);
  EXPECT_EQ(read->cascade_floor, -1.5);
  EXPECT_EQ(read->cascade_floors.at("b"), 2);
}

TEST_F(ProblemSettingsTest, CommandMayBeOneText) {
  EXPECT_EQ(settings("evaluate = 'awk -f  score.awk'")->evaluate,
            (std::vector<std::string>{"awk", "-f", "score.awk"}));
}

TEST_F(ProblemSettingsTest, ErrorsNameFileAndKey) {
  EXPECT_EQ(error("[limits]\ntime = 5"),
            "problem.toml: limits.time must be a duration such as \"30s\" or "
            "\"5min\".");
  EXPECT_EQ(error("[limits]\nmemory = 'much'"),
            "problem.toml: limits.memory must be a size such as \"512MB\" or "
            "\"2GB\".");
  EXPECT_EQ(error("[limits]\nparallel = 0"),
            "problem.toml: limits.parallel must be an integer between 1 and "
            "100000.");
  EXPECT_EQ(error("gaol = 1"),
            "problem.toml: unknown key gaol; see "
            "docs/howto/evolve-a-program.md for the keys.")
      << error("gaol = 1");
  EXPECT_EQ(error("limits = 1"), "problem.toml: limits must be a table.");
  EXPECT_EQ(error("inputs = ['a']"),
            "problem.toml: inputs requires evaluate; evaluate.py lists its "
            "own.");
  EXPECT_TRUE(error("goal = ").starts_with("problem.toml, line 1: "));
}

TEST(ParseDuration, ReadsUnits) {
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("10min"), 10min);
  EXPECT_EQ(parse_duration("2h"), 2h);
  for (const char* text : {"", "5", "s", "-1s", "0s", "1d", "1 s", "nans"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(ParseBytes, ReadsUnits) {
  EXPECT_EQ(parse_bytes("4096"), 4096U);
  EXPECT_EQ(parse_bytes("512MB"), 512ULL << 20U);
  EXPECT_EQ(parse_bytes("1.5GB"), 3ULL << 29U);
  for (const char* text : {"", "GB", "-1GB", "0", "1TBs", "1e300"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
}

}  // namespace
}  // namespace lamarck::problems
