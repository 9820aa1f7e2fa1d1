#include "lamarck/problems/cap_set_evaluator.h"

#include <gtest/gtest.h>

#include "lamarck/archipelago/formula_skeleton.h"

namespace lamarck::problems {
namespace {

archipelago::FormulaSkeleton priority(std::string_view body, int dimension) {
  return archipelago::FormulaSkeleton(
      formula::parse_infix(body, cap_set_inputs(dimension)).value());
}

TEST(CapSetEvaluator, ScoreIsSizeOfCapSet) {
  const CapSetEvaluator evaluator(4);
  const archipelago::Evaluation plain =
      evaluator.evaluate(priority("0", 4), {});

  EXPECT_EQ(evaluator.input_count(), 1u);
  ASSERT_EQ(plain.scores.size(), 1u);
  EXPECT_EQ(plain.scores[0], 16);
}

TEST(CapSetEvaluator, OrdersVectorsByPriority) {
  const auto found = CapSetEvaluator(2).cap_set(priority("el0 * 3 + el1", 2));

  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(*found, (std::vector<std::size_t>{8, 7, 5, 4}));
}

TEST(CapSetEvaluator, FailsIfPriorityIsNan) {
  const archipelago::Evaluation failed =
      CapSetEvaluator(3).evaluate(priority("log(el0 - 1)", 3), {});

  EXPECT_TRUE(failed.scores.empty());
  EXPECT_EQ(failed.failure, "The priority of a vector is not a number.");
}

}  // namespace
}  // namespace lamarck::problems
