#include "lamarck/archipelago/llm_memory.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::archipelago {
namespace {

using Kind = LlmTry::Kind;

void add_times(LlmMemory& memory, int times, const LlmTry& one) {
  for (int i = 0; i < times; ++i) {
    memory.add(std::vector<LlmTry>{one});
  }
}

TEST(LlmMemory, EndsAfterRepeatedAnswers) {
  LlmMemory memory({.max_useless_answers = 3});
  add_times(memory, 2, {.kind = Kind::Repeated});
  EXPECT_FALSE(memory.ending());

  memory.add({{.kind = Kind::Repeated}});

  ASSERT_TRUE(memory.ending());
  EXPECT_EQ(memory.ending()->kind, EngineEnding::Kind::NothingNew);
  EXPECT_EQ(memory.ending()->reason,
            "The last 3 answers of the model were all functions that are known "
            "already, so it was not asked again.");
}

TEST(LlmMemory, NewFunctionRestoresPatience) {
  LlmMemory memory({.max_useless_answers = 3});
  add_times(memory, 2, {.kind = Kind::Repeated});
  memory.add({{.kind = Kind::New, .score = 1}});
  add_times(memory, 2, {.kind = Kind::Unreadable, .text = "No code."});
  EXPECT_FALSE(memory.ending());

  memory.add({{.kind = Kind::Repeated}});

  ASSERT_TRUE(memory.ending());
  EXPECT_NE(memory.ending()->reason.find("gave nothing new"),
            std::string::npos);
}

TEST(LlmMemory, ZeroMeansEndlessPatience) {
  LlmMemory memory({.max_useless_answers = 0, .max_failed_calls = 0});
  add_times(memory, 1000, {.kind = Kind::Repeated});
  add_times(memory, 1000, {.kind = Kind::NoAnswer, .text = "Busy."});
  EXPECT_FALSE(memory.ending());
}

TEST(LlmMemory, EndsAfterFailedCallsInARow) {
  LlmMemory memory({.max_failed_calls = 2});
  const LlmTry busy{.kind = Kind::NoAnswer, .text = "The server is busy"};
  memory.add(std::vector<LlmTry>{busy});
  memory.add({{.kind = Kind::New}});
  memory.add(std::vector<LlmTry>{busy});
  EXPECT_FALSE(memory.ending());

  memory.add(std::vector<LlmTry>{busy});

  ASSERT_TRUE(memory.ending());
  EXPECT_EQ(memory.ending()->kind, EngineEnding::Kind::NoAnswer);
  EXPECT_EQ(memory.ending()->reason,
            "The last 2 calls to the model failed: The server is busy.");
}

TEST(LlmMemory, FinalFailureEndsAtOnce) {
  LlmMemory memory;
  memory.add({{.kind = Kind::New},
              {.kind = Kind::NoAnswer, .text = "No key.", .is_final = true}});
  ASSERT_TRUE(memory.ending());
  EXPECT_EQ(memory.ending()->reason, "No key.");
}

TEST(LlmMemory, BudgetEndsOnlyIfEveryCallOfACycleIsRefused) {
  LlmMemory memory;
  memory.add(
      {{.kind = Kind::Refused, .text = "No tokens."}, {.kind = Kind::New}});
  EXPECT_FALSE(memory.ending());
  memory.add({{.kind = Kind::Refused, .text = "No tokens."},
              {.kind = Kind::Refused, .text = "No tokens."}});
  ASSERT_TRUE(memory.ending());
  EXPECT_EQ(memory.ending()->kind, EngineEnding::Kind::Budget);
}

TEST(LlmMemory, PerfectScoreEnds) {
  LlmMemory memory({.perfect_score = -1e-20});
  memory.see_best(-1e-3);
  EXPECT_FALSE(memory.ending());
  memory.see_best(-1e-21);
  ASSERT_TRUE(memory.ending());
  EXPECT_EQ(memory.ending()->kind, EngineEnding::Kind::Goal);
}

TEST(LlmMemory, LessonsSayWhatFailedAndHowOften) {
  LlmMemory memory;
  memory.add({{.kind = Kind::Failed, .text = "it raised KeyError"},
              {.kind = Kind::New, .text = "x*p0", .score = -0.5},
              {.kind = Kind::New, .text = "x", .score = 1, .improved = true},
              {.kind = Kind::Failed, .text = "it raised KeyError"},
              {.kind = Kind::NoAnswer, .text = "Busy."}});
  EXPECT_EQ(memory.lessons(),
            (std::vector<std::string>{
                "x*p0 scored only -0.5.",
                "A version got no score: it raised KeyError. (2 times)"}));
}

TEST(LlmMemory, KeepsFewShortLessons) {
  LlmMemory memory;
  for (int i = 0; i < 20; ++i) {
    memory.add({{.kind = Kind::Unreadable,
                 .text = std::to_string(i) + std::string(5000, 'a')}});
  }
  const auto lessons = memory.lessons();
  EXPECT_EQ(lessons.size(), 6U);
  for (const std::string& lesson : lessons) EXPECT_LE(lesson.size(), 210U);
  EXPECT_TRUE(lessons.back().starts_with("19"));
}

TEST(LlmMemory, RestoredMemoryHasLessonsAndCountsButNoEnding) {
  LlmMemory memory({.max_useless_answers = 3});
  add_times(memory, 2, {.kind = Kind::Failed, .text = "it crashed"});
  LlmMemory restored({.max_useless_answers = 3});
  ASSERT_TRUE(restored.restore(memory.state()));
  EXPECT_EQ(restored.lessons(), memory.lessons());
  restored.add({{.kind = Kind::Repeated}});
  ASSERT_TRUE(restored.ending());

  LlmMemory third({.max_useless_answers = 3});
  ASSERT_TRUE(third.restore(restored.state()));
  EXPECT_FALSE(third.ending());
  third.add({{.kind = Kind::Repeated}});
  EXPECT_FALSE(third.ending());
  EXPECT_FALSE(third.restore(Json::object()));
}

}  // namespace
}  // namespace lamarck::archipelago
