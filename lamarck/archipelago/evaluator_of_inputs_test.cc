#include "lamarck/archipelago/evaluator_of_inputs.h"

#include <gtest/gtest.h>

#include "lamarck/archipelago/toy_engine_fixture.h"

namespace lamarck::archipelago {
namespace {

TEST(EvaluatorOfInputs, ScoresSkeletonOnEveryInput) {
  const auto evaluator = make_evaluator(
      std::vector<int>{1, 2, 3}, [](int input, const Skeleton& skeleton) {
        return static_cast<double>(input) *
               static_cast<double>(skeleton.size());
      });

  const Evaluation evaluation = evaluator->evaluate(ToySkeleton(10), {});

  EXPECT_EQ(evaluator->input_count(), 3U);
  EXPECT_EQ(evaluation.scores, (std::vector<double>{2, 4, 6}));
}

TEST(EvaluatorOfInputs, FailsWhenCancelled) {
  CancelSource source;
  source.cancel("Enough.");
  const auto evaluator = make_evaluator(
      std::vector<int>{1}, [](int /*input*/, const Skeleton&) { return 1.0; });

  EXPECT_EQ(evaluator->evaluate(ToySkeleton(1), source.token()).failure,
            "Enough.");
}

}  // namespace
}  // namespace lamarck::archipelago
