#include "lamarck/law/law_simple_constants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "lamarck/base/rng.h"
#include "lamarck/formula/exactness.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/fit.h"
#include "lamarck/law/law_rewriting.h"

namespace lamarck::law {
namespace {

using formula::NodeIndex;
using gp::RegressionProblem;

constexpr std::size_t kMaxSimpleParams = 6;
constexpr std::size_t kMaxTrialRows = 4000;
constexpr std::array kSimpleValues = {
    1.0 / 4, 1.0 / 3, 1.0 / 2, 2.0 / 3, 3.0 / 4, 1.0, 4.0 / 3, 3.0 / 2,
    2.0,     5.0 / 2, 3.0,     4.0,     5.0,     6.0, 8.0,     10.0};
// A constant may move by this many standard deviations, or this share.
constexpr double kMaxDeviations = 4;
constexpr double kMaxShare = 0.02;

RegressionProblem thinned_rows(const RegressionProblem& problem) {
  if (problem.rows() <= kMaxTrialRows) return problem;
  RegressionProblem some = problem;
  const auto thin = [&](std::vector<double>& column) {
    for (std::size_t i = 0; i < kMaxTrialRows; ++i) {
      column[i] = column[i * problem.rows() / kMaxTrialRows];
    }
    column.resize(kMaxTrialRows);
  };
  for (auto& column : some.inputs) thin(column);
  thin(some.target);
  if (!some.weights.empty()) thin(some.weights);
  return some;
}

// The law with a number instead of a param.
Law with_number(const Law& law, std::size_t param, double value) {
  formula::ExpressionBuilder builder;
  std::vector<NodeIndex> params;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < law.params.size(); ++i) {
    params.push_back(i == param ? builder.constant(value)
                                : builder.param(next++));
  }
  std::vector<NodeIndex> inputs;
  for (std::uint32_t i = 0; i < law.formula.inputs.size(); ++i) {
    inputs.push_back(builder.input(i));
  }
  Law result = law;
  result.formula.param_names.clear();
  result.formula.body =
      builder.finish(builder.append(law.formula.body, inputs, params));
  result.params.erase(result.params.begin() +
                      static_cast<std::ptrdiff_t>(param));
  return result;
}

void fit_params(Law& law, const RegressionProblem& problem,
                const CancelToken& cancel) {
  law.nmse = law_nmse(law.formula.body, law.params, problem);
  if (law.params.empty()) return;
  formula::ExpressionPlan plan(law.formula.body);
  const std::vector<const double*> inputs = problem.input_pointers();
  Rng rng = Rng(law.formula.body.hash()).split("simple constants");
  const formula::Fit fit =
      formula::fit(plan, {.inputs = inputs, .rows = problem.rows()},
                   problem.target, law.params,
                   {.iterations = 30,
                    .starts = 1,
                    .first_rows = 0,
                    .weights = problem.weights},
                   rng, cancel);
  if (!fit.is_finite() || fit.nmse >= law.nmse) return;
  law.params = fit.params;
  law.nmse = law_nmse(law.formula.body, law.params, problem);
}

// Without the error of extrapolation, which takes longer to find out.
double fitted_length(Law law, std::size_t rows) {
  law.extrapolated = 0;
  return description_length(law, rows);
}

std::vector<double> simple_values_near(double value, double deviation) {
  std::vector<double> values;
  const double reach =
      std::max(kMaxDeviations * deviation, kMaxShare * std::fabs(value));
  for (const double simple : kSimpleValues) {
    const double signed_value = std::copysign(simple, value);
    // Beyond half of the value, nothing is known about it.
    const double limit = std::min(reach, 0.5 * simple);
    if (std::fabs(signed_value - value) <= limit) {
      values.push_back(signed_value);
    }
  }
  return values;
}

// The replacement with the shortest description, if one is shorter.
std::optional<Law> best_replacement(Law law, const RegressionProblem& problem,
                                    const CancelToken& cancel) {
  set_deviations(law, problem);
  double shortest = fitted_length(law, problem.rows());
  std::optional<Law> best;
  for (std::size_t i = 0; i < law.deviations.size(); ++i) {
    for (const double value :
         simple_values_near(law.params[i], law.deviations[i])) {
      if (cancel.is_cancelled()) return std::nullopt;
      Law candidate = with_number(law, i, value);
      fit_params(candidate, problem, cancel);
      candidate = rewritten(candidate, problem, cancel);
      candidate.size = candidate.formula.body.size();
      const double length = fitted_length(candidate, problem.rows());
      if (length >= shortest) continue;
      shortest = length;
      best = std::move(candidate);
    }
  }
  return best;
}

}  // namespace

std::vector<Law> with_simple_constants(const Law& law,
                                       const RegressionProblem& problem,
                                       const CancelToken& cancel) {
  std::vector<Law> laws;
  if (law.params.empty() || law.params.size() > kMaxSimpleParams ||
      law.nmse < formula::kNearlyExactNmse) {
    return laws;
  }
  const RegressionProblem rows = thinned_rows(problem);
  for (std::optional<Law> next = law; next && !next->params.empty();) {
    next = best_replacement(*next, rows, cancel);
    if (!next) break;
    fit_params(*next, problem, cancel);
    laws.push_back(*next);
  }
  return laws;
}

}  // namespace lamarck::law
