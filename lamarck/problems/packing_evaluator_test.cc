#include "lamarck/problems/packing_evaluator.h"

#include <gtest/gtest.h>

#include "lamarck/archipelago/formula_skeleton.h"

namespace lamarck::problems {
namespace {

using archipelago::Evaluation;

archipelago::FormulaSkeleton rule(std::string_view body) {
  return archipelago::FormulaSkeleton(
      formula::parse_infix(body, kPackingInputs).value());
}

std::vector<PackingInstance> instances(std::size_t count) {
  Rng rng(3);
  return uniform_packing({.instances = count}, rng);
}

TEST(PackingEvaluator, ScoreOfSliceIsNegatedExcessInPercent) {
  const auto evaluator =
      PackingEvaluator::make(instances(40), {.slices = 4}).value();
  const Evaluation best = evaluator->evaluate(rule("item - bins"), {});

  ASSERT_EQ(best.scores.size(), 4u);
  EXPECT_EQ(evaluator->input_count(), 4u);
  double sum = 0;
  for (const double score : best.scores) sum += score;
  EXPECT_NEAR(sum / 4, -6.4, 0.8);
  EXPECT_NEAR(-sum / 400, evaluator->excess(rule("item - bins")).value(), 1e-3);
}

TEST(PackingEvaluator, EvaluatesBadRuleOnFirstSliceOnly) {
  const auto evaluator =
      PackingEvaluator::make(instances(40), {.slices = 4}).value();
  const Evaluation worst = evaluator->evaluate(rule("bins"), {});

  ASSERT_EQ(worst.scores.size(), 4u);
  EXPECT_LT(worst.scores[0], -100);  // A bin for every item.
  EXPECT_EQ(worst.scores[3], worst.scores[0]);
}

TEST(PackingEvaluator, ConstantRuleIsFirstFit) {
  const auto evaluator =
      PackingEvaluator::make(instances(20), {.slices = 1}).value();

  EXPECT_GT(evaluator->excess(rule("1")).value(),
            evaluator->excess(rule("item - bins")).value());
}

TEST(PackingEvaluator, AllowsInfinitePriorities) {
  const auto evaluator =
      PackingEvaluator::make(instances(20), {.slices = 1}).value();

  // An exact fit has an infinite priority.
  EXPECT_EQ(evaluator->excess(rule("1 / (bins - item)")).value(),
            evaluator->excess(rule("item - bins")).value());
}

TEST(PackingEvaluator, FailsIfPriorityIsNan) {
  const auto evaluator =
      PackingEvaluator::make(instances(20), {.slices = 2}).value();
  const Evaluation failed =
      evaluator->evaluate(rule("log(bins - item - 5)"), {});

  EXPECT_TRUE(failed.scores.empty());
  ASSERT_TRUE(failed.failure.has_value());
  EXPECT_EQ(*failed.failure,
            "The priority is not a number for item 20 and bins 20.");
}

TEST(PackingEvaluator, RejectsMixedCapacitiesAndTooManySlices) {
  auto mixed = instances(2);
  mixed[1].capacity = 200;
  const auto different = PackingEvaluator::make(mixed, {.slices = 1});
  const auto too_few = PackingEvaluator::make(instances(2), {.slices = 3});

  ASSERT_FALSE(different);
  EXPECT_EQ(
      different.error().message(),
      "All instances must have the same capacity, at most 2000; got 150 and "
      "200 in the instance u120_01.");
  ASSERT_FALSE(too_few);
  EXPECT_EQ(
      too_few.error().message(),
      "The number of slices must be between 1 and the number of instances "
      "(2), got 3.");
  EXPECT_FALSE(PackingEvaluator::make({}, {.slices = 0}));
}

}  // namespace
}  // namespace lamarck::problems
