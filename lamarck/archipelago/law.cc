#include "lamarck/archipelago/law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lamarck/formula/expression_plan.h"

namespace lamarck::archipelago {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Below this an error is rounding.
constexpr double kExact = 1e-24;

}  // namespace

bool LawFront::wants(std::size_t size, double nmse) const {
  if (!std::isfinite(nmse)) return false;
  return std::none_of(laws_.begin(), laws_.end(), [&](const Law& law) {
    return law.size <= size && law.nmse <= std::max(nmse, kExact);
  });
}

bool LawFront::insert(Law law) {
  if (!wants(law.size, law.nmse)) return false;
  const double nmse = std::max(law.nmse, kExact);
  std::erase_if(laws_, [&](const Law& old) {
    return old.size >= law.size && std::max(old.nmse, kExact) >= nmse;
  });
  const auto at = std::find_if(
      laws_.begin(), laws_.end(),
      [&](const Law& other) { return other.size > law.size; });
  laws_.insert(at, std::move(law));
  return true;
}

double law_nmse(const formula::Expression& body,
                const std::vector<double>& params,
                const RegressionProblem& problem) {
  formula::ExpressionPlan plan(body);
  const std::vector<const double*> pointers = problem.input_pointers();
  std::vector<double> values(problem.rows());
  plan.values({.inputs = pointers, .rows = problem.rows()}, params, values);
  double mean = 0;
  for (const double y : problem.target) mean += y;
  mean /= static_cast<double>(problem.rows());
  double error = 0;
  double variance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = problem.target[i];
    error += (values[i] - y) * (values[i] - y);
    variance += (y - mean) * (y - mean);
  }
  if (error == 0) return 0;
  const double nmse = error / variance;
  return std::isfinite(nmse) ? nmse : kInfinity;
}

}  // namespace lamarck::archipelago
