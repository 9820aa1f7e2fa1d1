#include "lamarck/archipelago/formula_skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/simplify.h"

namespace lamarck::archipelago {
namespace {

// Includes the number of params: formulas that simplify to the same form but
// declare different params must not share fitted constants.
std::uint64_t compute_hash(const formula::Formula& formula) {
  return mix64(formula::canonical_hash(formula.body) ^
               mix64(formula.body.param_count() + 1));
}

Error wrong_arguments(const formula::Formula& formula, std::string_view what) {
  return {ErrorCode::InvalidArgument,
          fmt::format("{} takes {} columns of equal length (or of length 1), "
                      "optionally followed by its params; {}.",
                      formula.name, formula.inputs.size(), what)};
}

// Returns the common length of the columns, or 1 if there are none.
Result<std::size_t> row_count(const formula::Formula& formula,
                              std::span<const std::vector<double>> columns) {
  std::size_t rows = 1;
  for (const auto& column : columns) {
    if (column.size() == 1 || column.size() == rows) continue;
    if (rows != 1) {
      return wrong_arguments(
          formula,
          fmt::format("got columns of {} and {} values", rows, column.size()));
    }
    rows = column.size();
  }
  return rows;
}

}  // namespace

FormulaSkeleton::FormulaSkeleton(formula::Formula formula,
                                 std::vector<double> constants,
                                 std::string source)
    : formula_(std::move(formula)),
      constants_(std::move(constants)),
      source_(std::move(source)) {
  REQUIRE(formula_.body.input_count() <= formula_.inputs.size(),
          "FormulaSkeleton: every input must have a name, got {} inputs and {} "
          "names.",
          formula_.body.input_count(), formula_.inputs.size());
  constants_.resize(formula_.body.param_count(), 1.0);
  if (source_.empty()) source_ = formula::to_python(formula_);
  hash_ = compute_hash(formula_);
}

Result<std::vector<double>> FormulaSkeleton::call(
    std::span<const std::vector<double>> arguments) const {
  const std::size_t inputs = formula_.inputs.size();
  if (arguments.size() != inputs && arguments.size() != inputs + 1) {
    return wrong_arguments(formula_,
                           fmt::format("got {} arguments", arguments.size()));
  }
  const auto columns = arguments.first(inputs);
  const std::span<const double> params = arguments.size() > inputs
                                             ? std::span(arguments.back())
                                             : std::span(constants_);
  if (params.size() < formula_.body.param_count()) {
    return wrong_arguments(
        formula_, fmt::format("it needs {} params, got {}",
                              formula_.body.param_count(), params.size()));
  }
  ASSIGN_OR_RETURN(const std::size_t rows, row_count(formula_, columns));
  std::vector<double> values(rows);
  std::vector<double> row(inputs);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < inputs; ++j) {
      row[j] = columns[j].size() == 1 ? columns[j][0] : columns[j][i];
    }
    values[i] = formula::evaluate_row(formula_.body, row, params);
  }
  return values;
}

}  // namespace lamarck::archipelago
