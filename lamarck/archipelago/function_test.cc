#include "lamarck/archipelago/function.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "lamarck/archipelago/toy_engine_fixture.h"

namespace lamarck::archipelago {
namespace {

// Returns the given scores, or throws if there are none.
class GivenEvaluator : public Evaluator {
 public:
  explicit GivenEvaluator(std::vector<double> scores)
      : scores_(std::move(scores)) {}
  std::size_t input_count() const override { return 2; }
  Evaluation evaluate(const Skeleton& /*skeleton*/,
                      const CancelToken& /*cancel*/) const override {
    if (scores_.empty()) throw std::runtime_error("no scores today");
    return {.scores = scores_, .failure = {}, .constants = {}};
  }

 private:
  std::vector<double> scores_;
};

Function with_scores(std::vector<double> scores) {
  return Function(0, std::make_shared<ToySkeleton>(1),
                  std::make_shared<GivenEvaluator>(std::move(scores)), {});
}

TEST(Function, ScoreIsMeanAndSignatureListsScores) {
  Function fn = with_scores({1.0, 4.0});
  fn.evaluate();

  EXPECT_EQ(fn.score(), 2.5);
  EXPECT_EQ(fn.signature(), "1.00000e+00 4.00000e+00");
}

TEST(Function, CannotBeEvaluatedTwice) {
  Function fn = with_scores({1.0, 4.0});
  fn.evaluate();

  EXPECT_THROW(fn.evaluate(), LogicError);
  EXPECT_THROW(fn.accept({}), LogicError);
}

TEST(Function, HasNoScoreBeforeEvaluation) {
  const Function fn = with_scores({1.0, 4.0});

  EXPECT_FALSE(fn.is_evaluated());
  EXPECT_THROW(fn.score(), LogicError);
  EXPECT_THROW(fn.signature(), LogicError);
}

TEST(Function, FailsIfScoreIsNotFinite) {
  Function fn = with_scores({1.0, std::nan("")});
  fn.evaluate();

  EXPECT_EQ(fn.evaluation().failure,
            "score 2 of 2 is nan, not a finite number");
  EXPECT_TRUE(fn.evaluation().scores.empty());
  EXPECT_EQ(fn.score(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(fn.signature(), "");
}

TEST(Function, FailsIfScoreIsMissing) {
  Function fn = with_scores({1.0});
  fn.evaluate();

  EXPECT_EQ(fn.evaluation().failure,
            "the evaluator must return 2 scores, one per input, got 1");
}

TEST(Function, FailsIfEvaluatorThrows) {
  Function fn = with_scores({});
  fn.evaluate();

  EXPECT_EQ(fn.evaluation().failure, "the evaluator threw: no scores today");
}

TEST(Function, KeepsHugeScoresFinite) {
  Function fn = with_scores({1.5e308, 1.5e308});
  fn.evaluate();

  EXPECT_EQ(fn.score(), 1.5e308);
}

TEST(Function, ReportsStartAndEndOfEvaluation) {
  Function fn = with_scores({1.0, 4.0});
  std::vector<std::string_view> types;
  fn.use_profiler(
      [&](const FunctionEvent& event) { types.push_back(event_type(event)); });

  fn.evaluate();

  EXPECT_EQ(types,
            (std::vector<std::string_view>{"on_evaluate", "on_evaluated"}));
}

TEST(Function, CloneHasSameScore) {
  const FunctionPtr fn = toy_function(990);
  fn->set_id(7);

  const auto clone = fn->clone();

  EXPECT_EQ(clone->score(), fn->score());
  EXPECT_EQ(clone->signature(), fn->signature());
  EXPECT_EQ(clone->id(), 7U);
}

TEST(Function, CloneWithNewSkeletonIsNotEvaluated) {
  const FunctionPtr fn = toy_function(990);

  const auto clone = fn->clone(std::make_shared<ToySkeleton>(1000));

  EXPECT_FALSE(clone->is_evaluated());
  EXPECT_EQ(clone->id(), 0U);
  clone->evaluate();
  EXPECT_EQ(clone->score(), 0);
}

TEST(Signature, IgnoresRoundingDifferences) {
  const std::vector<double> a = {0.1 + 0.2, -0.0};
  const std::vector<double> b = {0.3, 0.0};

  EXPECT_EQ(make_signature(a), make_signature(b));
  EXPECT_NE(make_signature(a, 17), make_signature(b, 17));
}

TEST(Signature, DistinguishesSmallErrors) {
  EXPECT_NE(make_signature(std::vector{-1e-20}),
            make_signature(std::vector{-2e-20}));
}

}  // namespace
}  // namespace lamarck::archipelago
