#include "lamarck/gp/regression_problem.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lamarck::gp {
namespace {

data::Column numbers(std::string name, std::vector<double> values) {
  data::Column column;
  column.name = std::move(name);
  column.numbers = std::move(values);
  return column;
}

data::Column words(std::string name, std::size_t rows) {
  data::Column column;
  column.name = std::move(name);
  column.kind = data::ColumnKind::Category;
  column.codes.assign(rows, 0);
  column.values = {"red"};
  return column;
}

data::Table table() {
  return data::Table({numbers("m", {1, 2, 3}), words("colour", 3),
                      numbers("y", {4, 5, 6}), numbers("v", {7, 8, 9}),
                      numbers("gap", {1, NAN, 3})});
}

std::string refusal(const data::Table& of, const std::string& target,
                    const std::vector<std::string>& inputs) {
  const auto problem = regression_problem(of, target, inputs);
  return problem ? "" : problem.error().message();
}

TEST(RegressionProblem, UsesGivenColumns) {
  const auto problem = regression_problem(table(), "y", {"v", "m"}).value();
  EXPECT_EQ(problem.input_names, (std::vector<std::string>{"v", "m"}));
  EXPECT_EQ(problem.target_name, "y");
  EXPECT_EQ(problem.rows(), 3u);
  EXPECT_EQ(problem.target, (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(problem.inputs[0], (std::vector<double>{7, 8, 9}));
  EXPECT_EQ(problem.input_pointers()[1], problem.inputs[1].data());
}

TEST(RegressionProblem, UsesAllOtherNumericColumnsByDefault) {
  const data::Table some(
      {numbers("a", {1, 2}), words("colour", 2), numbers("y", {3, 4})});
  const auto problem = regression_problem(some, "y", {}).value();
  EXPECT_EQ(problem.input_names, std::vector<std::string>{"a"});
}

TEST(RegressionProblem, ErrorNamesRowWithoutNumber) {
  const std::string sentence =
      "The column 'gap' has no number in row 2; remove the row or fill it in.";
  EXPECT_EQ(refusal(table(), "y", {"gap"}), sentence);
  EXPECT_EQ(refusal(table(), "y", {}), sentence);
  EXPECT_EQ(refusal(table(), "gap", {"m"}), sentence);
}

TEST(RegressionProblem, RejectsUnusableColumns) {
  EXPECT_NE(refusal(table(), "y", {"y"}).find("is the target"),
            std::string::npos);
  EXPECT_NE(refusal(table(), "z", {}).find("z"), std::string::npos);
  EXPECT_NE(refusal(table(), "y", {"w"}).find("w"), std::string::npos);
  EXPECT_NE(refusal(data::Table({numbers("y", {1, 2})}), "y", {})
                .find("at least one input"),
            std::string::npos);
  EXPECT_NE(
      refusal(data::Table({numbers("a", {1}), numbers("y", {1})}), "y", {})
          .find("at least 2 rows, got 1"),
      std::string::npos);
}

TEST(RegressionProblem, RemedyForTextDependsOnRoleOfColumn) {
  EXPECT_EQ(refusal(table(), "y", {"colour"}),
            "The column 'colour' contains text; a formula needs numbers. "
            "Remove it from the inputs.");
  EXPECT_EQ(refusal(table(), "colour", {"m"}),
            "The column 'colour' contains text; a formula needs numbers. "
            "Choose a numeric target.");
}

TEST(RegressionProblem, RejectsRepeatedInput) {
  EXPECT_NE(refusal(table(), "y", {"m", "v", "m"}).find("'m'"),
            std::string::npos);
}

RegressionProblem four_rows() {
  RegressionProblem problem;
  problem.input_names = {"x"};
  problem.target_name = "y";
  problem.inputs = {{3, 1, 2, 4}};
  problem.target = {30, 10, 20, 40};
  return problem;
}

TEST(RegressionWeights, OfZeroLeaveRowsOutInAnyOrder) {
  const auto kept = with_weights(four_rows(), std::vector{2.0, 0.0, 1.0, 3.0});
  const auto moved =
      with_weights(pick_rows(four_rows(), std::vector<std::size_t>{3, 0, 2}),
                   std::vector{3.0, 2.0, 1.0});

  EXPECT_EQ(kept.inputs[0], (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(kept.target, (std::vector<double>{20, 30, 40}));
  EXPECT_EQ(kept.weights, (std::vector<double>{0.5, 1, 1.5}));
  EXPECT_EQ(moved.inputs, kept.inputs);
  EXPECT_EQ(moved.weights, kept.weights);
}

TEST(RegressionWeights, ThatAreEqualChangeNothing) {
  const auto same = with_weights(four_rows(), std::vector(4, 7.0));

  EXPECT_EQ(same.inputs, four_rows().inputs);
  EXPECT_TRUE(same.weights.empty());
}

TEST(RegressionWeights, GoWithTheirRows) {
  const auto problem =
      with_weights(four_rows(), std::vector{1.0, 2.0, 3.0, 2.0});

  const auto picked = pick_rows(problem, std::vector<std::size_t>{3, 0});

  EXPECT_EQ(picked.target, (std::vector<double>{40, 10}));
  EXPECT_EQ(picked.weights, (std::vector<double>{1, 1}));
  EXPECT_EQ(pick_inputs(problem, std::vector<std::size_t>{0}).weights,
            problem.weights);
}

TEST(RegressionWeights, CountAsRepeatedValues) {
  const std::vector<double> values = {1, 5, 9};
  const std::vector<double> repeated = {1, 1, 1, 5, 9, 9};

  EXPECT_NEAR(variance_of(values, std::vector{3.0, 1.0, 2.0}),
              variance_of(repeated), 1e-12);
}

}  // namespace
}  // namespace lamarck::gp
