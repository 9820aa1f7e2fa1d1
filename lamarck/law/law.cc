#include "lamarck/law/law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "lamarck/formula/exactness.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/gp/extrapolation_trial.h"

namespace lamarck::law {
namespace {

// A larger law must be more accurate by this factor.
constexpr double kGain = 1.01;

// The error that a law is compared by. A very small error is not trusted: it
// counts as the error of extrapolation, but at most as kSuspicious.
double trusted_error(const Law& law) {
  double error = std::max(law.nmse, formula::kComparableNmse);
  if (error < gp::kSuspicious && std::isfinite(law.extrapolated)) {
    error = std::max(error, std::min(law.extrapolated, gp::kSuspicious));
  }
  return error;
}

bool is_no_larger(const Law& a, const Law& b) {
  return std::tuple(a.size, a.params.size()) <=
         std::tuple(b.size, b.params.size());
}

}  // namespace

bool LawFront::insert(Law law) {
  const double error = trusted_error(law);
  if (!std::isfinite(error)) return false;
  const bool is_beaten =
      std::any_of(laws_.begin(), laws_.end(), [&](const Law& known) {
        return is_no_larger(known, law) &&
               trusted_error(known) <= kGain * error;
      });
  if (is_beaten) return false;
  std::erase_if(laws_, [&](const Law& known) {
    return is_no_larger(law, known) && kGain * trusted_error(known) >= error;
  });
  const auto at =
      std::find_if(laws_.begin(), laws_.end(),
                   [&](const Law& other) { return !is_no_larger(other, law); });
  laws_.insert(at, std::move(law));
  return true;
}

double law_nmse(const formula::Expression& body,
                const std::vector<double>& params,
                const gp::RegressionProblem& problem) {
  formula::ExpressionPlan plan(body);
  const std::vector<const double*> pointers = problem.input_pointers();
  std::vector<double> values(problem.rows());
  plan.values({.inputs = pointers, .rows = problem.rows()}, params, values);
  const auto weight = [&](std::size_t row) {
    return problem.weights.empty() ? 1 : problem.weights[row];
  };
  double error = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = values[i] - problem.target[i];
    error += weight(i) * off * off;
  }
  if (error == 0) return 0;
  const double nmse =
      error / gp::squared_spread(problem.target, problem.weights);
  return std::isfinite(nmse) ? nmse : std::numeric_limits<double>::infinity();
}

}  // namespace lamarck::law
