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

// The population variance. REQUIRES: `values` is not empty.
double variance_of(const std::vector<double>& values);

}  // namespace lamarck::gp
