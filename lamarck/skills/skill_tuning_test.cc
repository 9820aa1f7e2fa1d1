#include "lamarck/skills/skill_tuning.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::skills {
namespace {

SkillDraft poorly_named() {
  SkillDraft draft;
  draft.name = "Send go from";
  draft.description = "Go from (origin).";
  for (const char* tool : {"find_flight", "book_flight", "send_ticket"}) {
    draft.steps.push_back({.action = "", .tool = tool});
    draft.tools_used.emplace_back(tool);
  }
  draft.parameters = {{"origin", {{"type", "string"}}}};
  return draft;
}

std::vector<TuningCase> flight_cases() {
  std::vector<TuningCase> cases;
  for (const char* city : {"Oslo", "Rome", "Lima", "Cairo", "Paris", "Tokyo"}) {
    cases.push_back({.request = std::string("Get a flight from ") + city,
                     .arguments = {{"origin", city}}});
    cases.push_back({.request = std::string("Paint ") + city, .fits = false});
  }
  return cases;
}

// A model that chooses a skill whose name has the word "flight" for requests
// with that word.
Result<TrialOutcome> choose_by_name(const SkillWording& wording,
                                    const TuningCase& one) {
  const bool is_chosen = wording.name.find("light") != std::string::npos &&
                         one.request.find("flight") != std::string::npos;
  return TrialOutcome{.is_right = is_chosen == one.fits, .tokens = 10};
}

TEST(SkillTuning, FindsAWordingThatIsBetterOnHeldOutRequests) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Rng rng(seed);
    const auto report = tune_wording(poorly_named(), flight_cases(), {},
                                     choose_by_name, rng, {});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_TRUE(report->is_better()) << seed;
    EXPECT_EQ(report->held_out_before, 3u);
    EXPECT_EQ(report->held_out_after, 6u);
    EXPECT_EQ(report->held_out_cases, 6u);
    EXPECT_EQ(report->tokens, 10 * report->trials);
    for (const char* value : {"Oslo", "Rome", "Lima"}) {
      EXPECT_EQ(report->after.description.find(value), std::string::npos);
      EXPECT_EQ(report->after.name.find(value), std::string::npos);
    }
  }
}

TEST(SkillTuning, SameSeedGivesSameWording) {
  Rng first(3);
  Rng second(3);
  const auto a = tune_wording(poorly_named(), flight_cases(), {},
                              choose_by_name, first, {});
  const auto b = tune_wording(poorly_named(), flight_cases(), {},
                              choose_by_name, second, {});
  EXPECT_EQ(a->after, b->after);
}

TEST(SkillTuning, KeepsTheOldWordingUnlessHeldOutRequestsAgree) {
  // What helps on the training requests does not help on the others.
  const auto overfit = [](const SkillWording& wording,
                          const TuningCase& one) -> Result<TrialOutcome> {
    const bool is_training = one.request.find("Oslo") != std::string::npos ||
                             one.request.find("Lima") != std::string::npos ||
                             one.request.find("Paris") != std::string::npos;
    return TrialOutcome{.is_right = is_training ? wording.name != "Send go from"
                                                : false};
  };
  Rng rng(1);
  const auto report =
      tune_wording(poorly_named(), flight_cases(), {}, overfit, rng, {});
  ASSERT_TRUE(report);
  EXPECT_GT(report->training_after, report->training_before);
  EXPECT_FALSE(report->is_better());
  EXPECT_EQ(report->after, report->before);
}

TEST(SkillTuning, NeedsEnoughRequestsAndReportsFailures) {
  Rng rng(1);
  EXPECT_FALSE(tune_wording(poorly_named(), {}, {}, choose_by_name, rng, {}));
  const auto broken = [](const SkillWording&,
                         const TuningCase&) -> Result<TrialOutcome> {
    return Error(ErrorCode::Unavailable, "The model is away.");
  };
  const auto report =
      tune_wording(poorly_named(), flight_cases(), {}, broken, rng, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message(), "The model is away.");
}

TEST(SkillTuning, ReadsCasesAsListOrLines) {
  const auto lines = parse_tuning_cases(
      "{\"request\": \"a\"}\n\n{\"request\": \"b\", \"fits\": false}\n");
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->size(), 2u);
  EXPECT_FALSE((*lines)[1].fits);
  EXPECT_EQ(parse_tuning_cases(R"([{"request": "a"}])")->size(), 1u);
  for (const char* wrong : {"{}", "[1]", "x", R"({"request": ""})",
                            R"({"request": "a", "arguments": 1})"}) {
    EXPECT_FALSE(parse_tuning_cases(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace lamarck::skills
