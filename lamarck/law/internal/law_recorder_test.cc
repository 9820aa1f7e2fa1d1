#include "lamarck/law/internal/law_recorder.h"

#include <gtest/gtest.h>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/law/internal/law_rows.h"

namespace lamarck::law {
namespace {

using archipelago::Evaluation;
using archipelago::FormulaSkeleton;
using archipelago::Function;
using archipelago::FunctionPtr;

constexpr double kExact = 1e-30;

FunctionPtr recorded(std::uint64_t id, const std::string& formula, double nmse,
                     std::vector<std::uint64_t> parents = {}) {
  auto fn = std::make_shared<Function>(
      id,
      std::make_shared<FormulaSkeleton>(
          formula::parse_infix(formula, std::vector<std::string>{"x"}).value()),
      nullptr,
      archipelago::Origin{
          .engine = "gp", .move = "step", .parents = std::move(parents)});
  fn->accept({.scores = {-nmse}, .failure = {}, .constants = {}});
  return fn;
}

TEST(LawRecorder, KeepsTheFrontOfSizeAndError) {
  LawRecorder recorder(nullptr);
  recorder.add(recorded(1, "x", 0.5));
  recorder.add(recorded(2, "x*x", 0.1));
  recorder.add(recorded(3, "x+x", 0.4));
  ASSERT_EQ(recorder.front().laws().size(), 2u);
  EXPECT_EQ(recorder.front().laws()[0].id, 1u);
  EXPECT_EQ(recorder.front().laws()[1].id, 2u);
}

TEST(LawRecorder, LeavesOutFailedFunctions) {
  LawRecorder recorder(nullptr);
  auto fn = std::make_shared<Function>(1, recorded(1, "x", 0)->skeleton(),
                                       nullptr, archipelago::Origin());
  fn->accept(Evaluation::failed("not finite"));
  recorder.add(fn);
  EXPECT_TRUE(recorder.front().laws().empty());
  EXPECT_TRUE(recorder.lineage(1).empty());
}

TEST(LawRecorder, LineageFollowsTheBestParentFromOldToNew) {
  LawRecorder recorder(nullptr);
  recorder.add(recorded(1, "x", 0.5));
  recorder.add(recorded(2, "x+x", 0.4));
  recorder.add(recorded(3, "x*x", 0.1, {2, 1}));
  recorder.add(recorded(4, "x*x+x", 0.01, {1, 3}));
  const auto lineage = recorder.lineage(4);
  ASSERT_EQ(lineage.size(), 3u);
  EXPECT_EQ(lineage[0].id, 1u);
  EXPECT_EQ(lineage[1].id, 3u);
  EXPECT_EQ(lineage[2].id, 4u);
  EXPECT_EQ(lineage[2].nmse, 0.01);
}

TEST(LawRecorder, ReportsASmallerExactLawOnce) {
  LawRecorder recorder(nullptr);
  recorder.add(recorded(1, "x*x", 0.1));
  EXPECT_FALSE(recorder.has_exact());
  recorder.add(recorded(2, "x*x*x+x", kExact));
  EXPECT_TRUE(recorder.has_exact());
  EXPECT_TRUE(recorder.take_shrunk());
  EXPECT_FALSE(recorder.take_shrunk());
  recorder.add(recorded(3, "x*x+x", kExact / 2));
  EXPECT_TRUE(recorder.take_shrunk());
}

TEST(StopRule, WaitsAsLongAgainAfterAnExactLaw) {
  LawRecorder recorder(nullptr);
  StopRule rule;
  EXPECT_FALSE(rule.is_over(recorder, 1'000'000));
  recorder.add(recorded(1, "x*x+x", kExact));
  EXPECT_FALSE(rule.is_over(recorder, 100'000));
  EXPECT_FALSE(rule.is_over(recorder, 199'999));
  EXPECT_TRUE(rule.is_over(recorder, 200'000));
  // A smaller exact law starts the wait again.
  recorder.add(recorded(2, "x*x", kExact / 2));
  EXPECT_FALSE(rule.is_over(recorder, 200'000));
  EXPECT_TRUE(rule.is_over(recorder, 400'000));
}

TEST(StopRule, WaitsAtLeastSomeEvaluations) {
  LawRecorder recorder(nullptr);
  StopRule rule;
  recorder.add(recorded(1, "x", kExact));
  EXPECT_FALSE(rule.is_over(recorder, 10));
  EXPECT_FALSE(rule.is_over(recorder, 40'009));
  EXPECT_TRUE(rule.is_over(recorder, 40'010));
}

gp::RegressionProblem line_problem(std::size_t rows) {
  gp::RegressionProblem problem;
  problem.input_names = {"x"};
  problem.target_name = "y";
  problem.inputs.emplace_back();
  for (std::size_t i = 0; i < rows; ++i) {
    problem.inputs[0].push_back(static_cast<double>(i));
    problem.target.push_back(2 * static_cast<double>(i));
  }
  return problem;
}

TEST(SplitProblem, HoldsOutAboutATenthUnlessRowsAreFew) {
  EXPECT_EQ(split_problem(line_problem(59), 1).held_out.rows(), 0u);
  const SplitProblem split = split_problem(line_problem(1000), 1);
  EXPECT_EQ(split.seen.rows() + split.held_out.rows(), 1000u);
  EXPECT_NEAR(static_cast<double>(split.held_out.rows()), 100, 40);
  EXPECT_EQ(split_problem(line_problem(1000), 1).held_out.target,
            split.held_out.target);
  EXPECT_NE(split_problem(line_problem(1000), 2).held_out.target,
            split.held_out.target);
}

TEST(SplitProblem, ConfirmsOnlyWhatHoldsOnTheHeldOutRows) {
  const SplitProblem split = split_problem(line_problem(1000), 1);
  const auto confirm = make_confirmation(split.held_out);
  ASSERT_TRUE(confirm);
  EXPECT_TRUE(confirm(*recorded(1, "x+x", kExact)));
  EXPECT_FALSE(confirm(*recorded(2, "x*x", kExact)));
  EXPECT_FALSE(make_confirmation(gp::RegressionProblem()));
}

}  // namespace
}  // namespace lamarck::law
