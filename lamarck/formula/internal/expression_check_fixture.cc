#include "lamarck/formula/internal/expression_check_fixture.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "lamarck/base/rng.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/formula.h"
#include "lamarck/formula/linear_params.h"
#include "lamarck/formula/simplify.h"

namespace lamarck::formula {
namespace {

constexpr std::size_t kRows = 5;
// All printers name shared parts, so texts grow with the nodes.
constexpr std::size_t kMaxCharactersPerNode = 2000;

// Values that reach the corners of functions, and some usual ones.
std::vector<std::vector<double>> make_columns(std::size_t count) {
  constexpr std::array kValues = {0.0, -1.0, 0.5, 3.25, 1e200, -2.0, 7.0};
  std::vector<std::vector<double>> columns(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t row = 0; row < kRows; ++row) {
      columns[i].push_back(kValues[(3 * i + row) % kValues.size()]);
    }
  }
  return columns;
}

std::vector<double> make_params(std::size_t count) {
  Rng rng(1);
  std::vector<double> params;
  for (std::size_t i = 0; i < count; ++i) {
    params.push_back(rng.uniform(-2, 2));
  }
  return params;
}

std::vector<double> values_of(const Expression& body,
                              const std::vector<double>& params) {
  const auto columns = make_columns(body.input_count());
  std::vector<const double*> inputs;
  for (const auto& column : columns) inputs.push_back(column.data());
  std::vector<double> values(kRows);
  ExpressionPlan plan(body);
  plan.values({.inputs = inputs, .rows = kRows}, params, values);
  return values;
}

bool is_same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

std::string printing_fault(const Formula& formula,
                           const std::vector<double>& params) {
  const std::size_t limit =
      kMaxCharactersPerNode * (formula.body.nodes().size() + 10) +
      100 * formula.docstring.size();
  for (const std::vector<double>* given :
       {static_cast<const std::vector<double>*>(nullptr), &params}) {
    for (const std::string& text :
         {to_infix(formula, given), to_latex(formula, given),
          to_cpp(formula, given), to_python(formula, given)}) {
      if (text.size() > limit) {
        return fmt::format("{} nodes became {} characters.",
                           formula.body.nodes().size(), text.size());
      }
    }
  }
  return "";
}

// The text must mean the same expression, bit for bit.
std::string reading_fault_of(const Formula& formula,
                             const std::vector<double>& params) {
  const std::string text = to_python(formula);
  if (text.size() > ParseLimits().source_bytes) return "";
  const auto again = parse_python(text, formula.name);
  if (!again) return again.error().message() + "\n" + text;
  if (again->body.hash() != formula.body.hash()) {
    return "Read back as another expression:\n" + text;
  }
  const auto before = values_of(formula.body, params);
  const auto after = values_of(again->body, params);
  for (std::size_t row = 0; row < kRows; ++row) {
    if (!is_same_number(before[row], after[row])) {
      return fmt::format("Row {} is {} and, read back, {}:\n{}", row,
                         before[row], after[row], text);
    }
  }
  return "";
}

std::string formula_fault(Formula formula) {
  const std::vector<double> params = make_params(formula.body.param_count());
  if (std::string fault = printing_fault(formula, params); !fault.empty()) {
    return fault;
  }
  if (std::string fault = reading_fault_of(formula, params); !fault.empty()) {
    return fault;
  }
  linear_params(formula.body);
  const std::uint64_t hash = canonical_hash(formula.body);
  if (hash != canonical_hash(formula.body)) return "The hash varies.";
  const Expression simple = simplify(formula.body);
  if (simple.size() > formula.body.size()) {
    return "Simplifying made the expression longer.";
  }
  const std::vector<double> fewer = make_params(formula.body.param_count());
  formula.body = simple;
  if (std::string fault = printing_fault(formula, fewer); !fault.empty()) {
    return fault;
  }
  return reading_fault_of(formula, fewer);
}

}  // namespace

std::string expression_fault(std::string_view source) {
  const auto python = parse_python(source);
  if (python) return formula_fault(*python);
  auto infix = parse_infix(source, {"x", "y"});
  return infix ? formula_fault(*std::move(infix)) : "";
}

}  // namespace lamarck::formula
