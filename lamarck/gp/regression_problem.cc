#include "lamarck/gp/regression_problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>

#include "lamarck/base/ensure.h"
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
  if (!problem.weights.empty()) some.weights = picked(problem.weights);
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
                         .dimensions = std::nullopt,
                         .weights = problem.weights};
  if (problem.dimensions) some.dimensions = problem.dimensions->pick(inputs);
  for (const std::size_t input : inputs) {
    some.input_names.push_back(problem.input_names[input]);
    some.inputs.push_back(problem.inputs[input]);
  }
  return some;
}

RegressionProblem with_weights(const RegressionProblem& problem,
                               std::span<const double> weights) {
  REQUIRE(weights.size() == problem.rows(),
          "with_weights: there must be one weight for each of the {} rows, got "
          "{}.",
          problem.rows(), weights.size());
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    REQUIRE(weights[row] >= 0 && std::isfinite(weights[row]),
            "with_weights: a weight must be finite and at least 0, got {}.",
            weights[row]);
    if (weights[row] > 0) rows.push_back(row);
  }
  REQUIRE(!rows.empty(), "with_weights: a weight must be above 0.");
  const bool are_equal = std::ranges::all_of(
      rows, [&](std::size_t row) { return weights[row] == weights[rows[0]]; });
  const bool has_zeros = rows.size() < weights.size();
  if (are_equal && !has_zeros) return problem;
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    for (const std::vector<double>& column : problem.inputs) {
      if (column[a] != column[b]) return column[a] < column[b];
    }
    if (problem.target[a] != problem.target[b]) {
      return problem.target[a] < problem.target[b];
    }
    return weights[a] < weights[b];
  });
  RegressionProblem result = pick_rows(problem, rows);
  if (are_equal) return result;
  double total = 0;
  for (const std::size_t row : rows) total += weights[row];
  const double mean = total / static_cast<double>(rows.size());
  for (const std::size_t row : rows) {
    result.weights.push_back(weights[row] / mean);
  }
  return result;
}

double squared_spread(std::span<const double> values,
                      std::span<const double> weights) {
  const auto weight = [&](std::size_t i) {
    return weights.empty() ? 1 : weights[i];
  };
  double mean = 0;
  for (std::size_t i = 0; i < values.size(); ++i) mean += weight(i) * values[i];
  mean /= total_weight(weights, values.size());
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weight(i) * (values[i] - mean) * (values[i] - mean);
  }
  return sum;
}

double variance_of(std::span<const double> values,
                   std::span<const double> weights) {
  return squared_spread(values, weights) / total_weight(weights, values.size());
}

double total_weight(std::span<const double> weights, std::size_t rows) {
  if (weights.empty()) return static_cast<double>(rows);
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace lamarck::gp
