#include "lamarck/gp/regression_problem.h"

#include <cmath>
#include <set>
#include <string_view>

#include "lamarck/base/macros.h"

namespace lamarck::gp {
namespace {

// Squares of larger numbers overflow.
constexpr double kMaxMagnitude = 1e150;

// `remedy` says what to do if the column is not numeric; it differs for the
// target and for inputs.
Result<std::vector<double>> finite_numbers(const data::Column& column,
                                           const std::string& remedy) {
  if (column.kind != data::ColumnKind::Number) {
    return Error(ErrorCode::InvalidArgument,
                 "The column '" + column.name +
                     "' contains text; a formula needs numbers. " + remedy);
  }
  for (std::size_t row = 0; row < column.numbers.size(); ++row) {
    if (std::isinf(column.numbers[row])) {
      return Error(ErrorCode::InvalidArgument,
                   "The column '" + column.name + "' is infinite in row " +
                       std::to_string(row + 1) +
                       ", but a formula needs finite numbers; remove the row "
                       "or correct it.");
    }
    if (std::abs(column.numbers[row]) > kMaxMagnitude) {
      return Error(
          ErrorCode::InvalidArgument,
          "The column '" + column.name +
              "' must be between -1e150 and 1e150, but is not in row " +
              std::to_string(row + 1) +
              "; rescale the column or remove the row.");
    }
    if (!std::isfinite(column.numbers[row])) {
      return Error(ErrorCode::InvalidArgument,
                   "The column '" + column.name + "' has no number in row " +
                       std::to_string(row + 1) +
                       "; remove the row or fill it in.");
    }
  }
  return column.numbers;
}

}  // namespace

std::vector<const double*> RegressionProblem::input_pointers() const {
  std::vector<const double*> pointers;
  pointers.reserve(inputs.size());
  for (const std::vector<double>& column : inputs) {
    pointers.push_back(column.data());
  }
  return pointers;
}

bool RegressionProblem::allows(const formula::Expression& body,
                               std::span<const double> params) const {
  return !dimensions || dimensions->allow(body, params);
}

Result<RegressionProblem> regression_problem(
    const data::Table& table, const std::string& target,
    const std::vector<std::string>& inputs) {
  RegressionProblem problem;
  ASSIGN_OR_RETURN(const std::size_t place, table.find(target));
  problem.target_name = target;
  ASSIGN_OR_RETURN(problem.target, finite_numbers(table.columns()[place],
                                                  "Choose a numeric target."));
  std::vector<std::string> names = inputs;
  if (names.empty()) {
    for (const data::Column& column : table.columns()) {
      if (column.name != target && column.kind == data::ColumnKind::Number) {
        names.push_back(column.name);
      }
    }
  }
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name == target) {
      return Error(
          ErrorCode::InvalidArgument,
          "The column '" + name +
              "' is the target and cannot be an input; remove it from the "
              "inputs.");
    }
    if (!seen.insert(name).second) {
      return Error(
          ErrorCode::InvalidArgument,
          "The input '" + name + "' is given more than once; give it once.");
    }
    ASSIGN_OR_RETURN(const std::size_t at, table.find(name));
    ASSIGN_OR_RETURN(
        std::vector<double> numbers,
        finite_numbers(table.columns()[at], "Remove it from the inputs."));
    problem.input_names.push_back(name);
    problem.inputs.push_back(std::move(numbers));
  }
  if (problem.inputs.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "The table has no numeric column besides '" + target +
                     "'; a formula needs at least one input.");
  }
  if (problem.rows() < 2) {
    return Error(ErrorCode::InvalidArgument,
                 "The table must have at least 2 rows, got " +
                     std::to_string(problem.rows()) + ".");
  }
  return problem;
}

RegressionProblem pick_rows(const RegressionProblem& problem,
                            std::span<const std::size_t> rows) {
  const auto picked = [&](const std::vector<double>& values) {
    std::vector<double> result;
    result.reserve(rows.size());
    for (const std::size_t row : rows) result.push_back(values[row]);
    return result;
  };
  RegressionProblem some{.input_names = problem.input_names,
                         .target_name = problem.target_name,
                         .inputs = {},
                         .target = picked(problem.target),
                         .dimensions = problem.dimensions};
  for (const auto& column : problem.inputs) {
    some.inputs.push_back(picked(column));
  }
  return some;
}

RegressionProblem pick_inputs(const RegressionProblem& problem,
                              std::span<const std::size_t> inputs) {
  RegressionProblem some{.input_names = {},
                         .target_name = problem.target_name,
                         .inputs = {},
                         .target = problem.target,
                         .dimensions = std::nullopt};
  if (problem.dimensions) some.dimensions = problem.dimensions->pick(inputs);
  for (const std::size_t input : inputs) {
    some.input_names.push_back(problem.input_names[input]);
    some.inputs.push_back(problem.inputs[input]);
  }
  return some;
}

double variance_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

}  // namespace lamarck::gp
