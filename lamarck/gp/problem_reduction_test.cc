#include "lamarck/gp/problem_reduction.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"

namespace lamarck::gp {
namespace {

// y = 2 * x7 + x11^2 - 1/3; all other inputs are noise.
RegressionProblem wide_problem(std::size_t inputs, std::size_t rows) {
  Rng rng(3);
  RegressionProblem problem{.input_names = {},
                            .target_name = "y",
                            .inputs = {},
                            .target = std::vector<double>(rows, -1.0 / 3)};
  for (std::size_t i = 0; i < inputs; ++i) {
    problem.input_names.push_back("x" + std::to_string(i));
    std::vector<double>& column = problem.inputs.emplace_back();
    for (std::size_t row = 0; row < rows; ++row) {
      column.push_back(rng.uniform(-1, 1));
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const double curve = problem.inputs[11 % inputs][row];
    problem.target[row] += 2 * problem.inputs[7][row] + 4 * curve * curve;
  }
  return problem;
}

TEST(ProblemReduction, SmallProblemsStayAsTheyAre) {
  const RegressionProblem problem = wide_problem(kMaxLawInputs, 50);
  EXPECT_EQ(choose_inputs(problem).size(), kMaxLawInputs);
  EXPECT_EQ(choose_inputs(problem).back(), kMaxLawInputs - 1);
  EXPECT_EQ(choose_rows(problem).size(), 50U);
}

TEST(ProblemReduction, KeepsInputsOfTheLawAmongThousands) {
  const RegressionProblem problem = wide_problem(5000, 300);
  const std::vector<std::size_t> kept = choose_inputs(problem);
  EXPECT_EQ(kept.size(), kMaxLawInputs);
  EXPECT_TRUE(std::ranges::is_sorted(kept));
  EXPECT_TRUE(std::ranges::binary_search(kept, 7U));
  EXPECT_TRUE(std::ranges::binary_search(kept, 11U));
  EXPECT_EQ(kept, choose_inputs(problem));
}

TEST(ProblemReduction, KeepsRequiredInputs) {
  const RegressionProblem problem = wide_problem(500, 100);
  const std::vector<std::size_t> required = {498, 499};
  const std::vector<std::size_t> kept = choose_inputs(problem, required);
  EXPECT_EQ(kept.size(), kMaxLawInputs);
  EXPECT_EQ(kept[kept.size() - 2], 498U);
  EXPECT_EQ(kept.back(), 499U);
}

TEST(ProblemReduction, SamplesDistinctRows) {
  const RegressionProblem problem = wide_problem(8, kMaxLawRows + 5000);
  const std::vector<std::size_t> rows = choose_rows(problem);
  ASSERT_EQ(rows.size(), kMaxLawRows);
  EXPECT_TRUE(std::ranges::is_sorted(rows, std::ranges::less_equal()));
  const RegressionProblem some = pick_rows(problem, rows);
  EXPECT_EQ(some.target[10], problem.target[rows[10]]);
  EXPECT_EQ(some.inputs[7][10], problem.inputs[7][rows[10]]);
}

}  // namespace
}  // namespace lamarck::gp
