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

}  // namespace
}  // namespace lamarck::gp
