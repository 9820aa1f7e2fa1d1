// A table whose target should be expressed as a formula of its inputs.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/table.h"
#include "lamarck/formula/dimensions.h"
#include "lamarck/formula/expression_plan.h"

namespace lamarck::gp {

// Columns of finite numbers.
struct RegressionProblem {
  std::vector<std::string> input_names;
  std::string target_name;
  std::vector<std::vector<double>> inputs;  // [input][row]
  std::vector<double> target;
  // If known, only laws that are consistent with them count.
  std::optional<formula::Dimensions> dimensions;
  // How much each row counts in fits and errors, above 0; empty: all the same.
  std::vector<double> weights = {};

  std::size_t rows() const { return target.size(); }
  std::vector<const double*> input_pointers() const;
  // Whether the dimensions, if known, allow the formula.
  bool allows(const formula::Expression& body,
              std::span<const double> params) const;
};

// If `inputs` is empty, uses all other numeric columns. Returns an error that
// names the first cell without a number.
Result<RegressionProblem> regression_problem(
    const data::Table& table, const std::string& target,
    const std::vector<std::string>& inputs);

// Copies of the given rows, or of the given inputs, in that order.
RegressionProblem pick_rows(const RegressionProblem& problem,
                            std::span<const std::size_t> rows);
RegressionProblem pick_inputs(const RegressionProblem& problem,
                              std::span<const std::size_t> inputs);

// The problem with weights, of which the mean is 1. A weight of 0 has the same
// result as leaving the row out, whatever the order of the rows: rows of weight
// 0 are removed, and if the others differ in weight, all are sorted. REQUIRES:
// one weight for each row, finite and at least 0, and not all 0.
RegressionProblem with_weights(const RegressionProblem& problem,
                               std::span<const double> weights);

// The sum of weight * (value - mean)^2; `weights` may be empty.
double squared_spread(std::span<const double> values,
                      std::span<const double> weights = {});
// The population variance. REQUIRES: `values` is not empty.
double variance_of(std::span<const double> values,
                   std::span<const double> weights = {});
// The sum of the weights, or of 1 for each of the rows if there are none.
double total_weight(std::span<const double> weights, std::size_t rows);

}  // namespace lamarck::gp
