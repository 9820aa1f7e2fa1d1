#include "lamarck/thought/healing.h"

#include <set>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/rng.h"

namespace lamarck::thought {
namespace {

std::vector<std::string> actions(const Healing& healing,
                                 FailureCategory category) {
  std::vector<std::string> result;
  for (const HealingStrategy& strategy : healing.strategies(category)) {
    result.emplace_back(strategy.action);
  }
  return result;
}

TEST(Healing, EveryCategoryHasTwoOrMoreStrategies) {
  for (const FailureKind& kind : failure_kinds()) {
    const auto strategies = Healing().strategies(kind.category);
    EXPECT_GE(strategies.size(), 2U) << kind.name;
    for (const HealingStrategy& strategy : strategies) {
      EXPECT_EQ(strategy.category, kind.category);
    }
  }
}

TEST(Healing, StrategiesAreUniqueWithObjectParameters) {
  std::set<std::pair<FailureCategory, std::string_view>> seen;
  for (const HealingStrategy& strategy : healing_strategies()) {
    EXPECT_TRUE(seen.emplace(strategy.category, strategy.action).second);
    const auto parameters = parse_json(strategy.parameters);
    ASSERT_TRUE(parameters.has_value()) << strategy.parameters;
    EXPECT_TRUE(parameters->is_object());
  }
}

TEST(Healing, StartsInListOrder) {
  using enum FailureCategory;
  EXPECT_EQ(
      actions({}, TestFailed),
      (std::vector<std::string>{"analyze_diff", "expand_context", "rollback"}));
}

TEST(Healing, SuccessRateIsMovingAverage) {
  using enum FailureCategory;
  Healing healing;
  EXPECT_DOUBLE_EQ(healing.success_rate(Timeout, "batch_reduce"), 0.5);

  healing.healed(Timeout, "batch_reduce", true);
  EXPECT_DOUBLE_EQ(healing.success_rate(Timeout, "batch_reduce"), 0.65);
  healing.healed(Timeout, "batch_reduce", false);
  EXPECT_DOUBLE_EQ(healing.success_rate(Timeout, "batch_reduce"), 0.455);
  EXPECT_DOUBLE_EQ(healing.success_rate(OutOfMemory, "batch_reduce"), 0.5);
}

TEST(Healing, SortsBySuccessRate) {
  using enum FailureCategory;
  Healing healing;
  healing.healed(TestFailed, "rollback", true);
  healing.healed(TestFailed, "analyze_diff", false);

  EXPECT_EQ(
      actions(healing, TestFailed),
      (std::vector<std::string>{"rollback", "expand_context", "analyze_diff"}));
}

TEST(Healing, AllowsThreeRetriesPerFailure) {
  using enum FailureCategory;
  Healing healing;
  for (std::int64_t i = 1; i <= Healing::kMaxRetries; ++i) {
    const RetryDecision decision = healing.failed("0123456789abcdef", Timeout);
    EXPECT_TRUE(decision.may_retry);
    EXPECT_EQ(decision.retries, i);
  }

  const RetryDecision last = healing.failed("0123456789abcdef", Timeout);
  EXPECT_FALSE(last.may_retry);
  EXPECT_EQ(last.retries, 3);
  EXPECT_EQ(last.reason,
            "The failure 01234567 has been retried 3 times; switch to another "
            "strategy.");
  EXPECT_TRUE(healing.failed("another", Timeout).may_retry);
}

TEST(Healing, NeverRetriesFailuresThatNeedAFix) {
  using enum FailureCategory;
  Healing healing;
  std::set<FailureCategory> refused;
  for (const FailureKind& kind : failure_kinds()) {
    const auto decision = healing.failed(kind.name, kind.category);
    if (!decision.may_retry) refused.insert(kind.category);
  }

  EXPECT_EQ(refused,
            (std::set<FailureCategory>{SyntaxError, PathOutsideProject}));
  EXPECT_EQ(healing.failed("syntax", SyntaxError).retries, 0);
}

TEST(Healing, JsonRoundTrips) {
  Rng rng(11);
  Healing healing;
  for (int i = 0; i < 300; ++i) {
    const auto& strategy =
        healing_strategies()[rng.below(healing_strategies().size())];
    healing.healed(strategy.category, strategy.action, rng.chance(0.6));
    healing.failed(std::to_string(rng.below(90)), strategy.category);
  }

  const Json json = parse_json(dump_json(healing.to_json())).value();
  const Healing back = Healing::from_json(json).value();

  EXPECT_EQ(back.to_json(), healing.to_json());
  for (const HealingStrategy& strategy : healing_strategies()) {
    EXPECT_EQ(back.success_rate(strategy.category, strategy.action),
              healing.success_rate(strategy.category, strategy.action));
  }
}

TEST(Healing, RejectsDamagedJson) {
  for (const char* text :
       {R"(3)", R"({})", R"({"rates": [], "retries": 3})",
        R"({"rates": {}, "retries": {}})",
        R"({"rates": [], "retries": {"a": -1}})",
        R"({"rates": [], "retries": {"a": "x"}})",
        R"({"rates": [{"category": "luck", "action": "a", "rate": 0.5}],
            "retries": {}})",
        R"({"rates": [{"category": "timeout", "action": "a", "rate": 2}],
            "retries": {}})"}) {
    EXPECT_FALSE(Healing::from_json(Json::parse(text)).has_value()) << text;
  }
}

}  // namespace
}  // namespace lamarck::thought
