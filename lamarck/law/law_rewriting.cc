#include "lamarck/law/law_rewriting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/formula/exactness.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/fit.h"
#include "lamarck/formula/gram_matrix.h"
#include "lamarck/formula/rewriting/rewrite.h"

namespace lamarck::law {
namespace {

using gp::RegressionProblem;

// Constants of an exact law are equal within these relative tolerances. A
// poorly determined constant needs the larger one.
constexpr std::array kExactTolerances = {1e-12, 1e-9, 1e-7};
constexpr double kRoundingTolerance = 1e-12;
// Formulas to look at for each law. An inexact law is rarely the final one.
constexpr std::size_t kMaxExactForms = 1500;
constexpr std::size_t kMaxInexactForms = 300;

Law with_form(const Law& law, formula::Rewriting form,
              const RegressionProblem& problem) {
  Law better = law;
  better.formula.body = std::move(form.body);
  better.formula.param_names.clear();
  better.params = std::move(form.params);
  better.recognized = std::move(form.constants);
  better.size = better.formula.body.size();
  better.nmse = law_nmse(better.formula.body, better.params, problem);
  return better;
}

// Fits the remaining params, which may have moved by the tolerance.
void refit(Law& law, const RegressionProblem& problem,
           const CancelToken& cancel) {
  if (law.params.empty()) return;
  formula::ExpressionPlan plan(law.formula.body);
  const std::vector<const double*> inputs = problem.input_pointers();
  Rng rng = Rng(law.formula.body.hash()).split("rewriting");
  const formula::Fit fit =
      formula::fit(plan, {.inputs = inputs, .rows = problem.rows()},
                   problem.target, law.params,
                   {.iterations = 40,
                    .starts = 1,
                    .first_rows = 0,
                    .weights = problem.weights},
                   rng, cancel);
  if (!fit.is_finite() || fit.nmse >= law.nmse) return;
  const double nmse = law_nmse(law.formula.body, fit.params, problem);
  if (nmse >= law.nmse) return;
  law.params = fit.params;
  law.nmse = nmse;
}

// Recognized constants are worth their nodes, so params count first.
auto form_cost(const Law& law) {
  return std::tuple(law.params.size(), law.size);
}

Law rewritten_exact(const Law& law, const RegressionProblem& problem,
                    const formula::Columns& columns,
                    const CancelToken& cancel) {
  const double limit = std::max(law.nmse, formula::kExactNmse);
  Law best = law;
  bool is_rewritten = false;
  for (const double tolerance : kExactTolerances) {
    for (const double recognition : {tolerance, 0.0}) {
      Law form =
          with_form(law,
                    formula::rewrite(law.formula.body, law.params, columns,
                                     {.tolerance = tolerance,
                                      .recognition = recognition,
                                      .max_forms = kMaxExactForms},
                                     cancel),
                    problem);
      if (cancel.is_cancelled()) return best;
      if (!(form.nmse <= limit)) refit(form, problem, cancel);
      if (!(form.nmse <= limit)) continue;
      const bool is_better = !is_rewritten || form_cost(form) < form_cost(best);
      if (is_better) best = std::move(form);
      is_rewritten = true;
      break;  // Without recognition only if it fails with it.
    }
    if (is_rewritten && best.params.empty()) break;
  }
  return best;
}

Law rewritten_inexact(const Law& law, const RegressionProblem& problem,
                      const formula::Columns& columns,
                      const CancelToken& cancel) {
  Law form = with_form(law,
                       formula::rewrite(law.formula.body, law.params, columns,
                                        {.tolerance = kRoundingTolerance,
                                         .max_forms = kMaxInexactForms},
                                        cancel),
                       problem);
  if (cancel.is_cancelled()) return law;
  refit(form, problem, cancel);
  const bool is_as_good = form.nmse <= law.nmse * (1 + 1e-9);
  const bool is_smaller = form.size <= law.size;
  return is_as_good && is_smaller ? form : law;
}

}  // namespace

Law rewritten(const Law& law, const RegressionProblem& problem,
              const CancelToken& cancel) {
  if (cancel.is_cancelled() || !std::isfinite(law.nmse)) return law;
  const std::vector<const double*> inputs = problem.input_pointers();
  const formula::Columns columns{.inputs = inputs, .rows = problem.rows()};
  return law.nmse < formula::kNearlyExactNmse
             ? rewritten_exact(law, problem, columns, cancel)
             : rewritten_inexact(law, problem, columns, cancel);
}

void set_deviations(Law& law, const RegressionProblem& problem) {
  law.deviations.clear();
  const std::size_t count = law.params.size();
  const std::size_t rows = problem.rows();
  if (count == 0 || rows <= count || law.is_exact()) return;
  formula::ExpressionPlan plan(law.formula.body);
  const std::vector<const double*> inputs = problem.input_pointers();
  std::vector<double> values(rows);
  std::vector<double> jacobian(count * rows);
  plan.values_and_jacobian({.inputs = inputs, .rows = rows}, law.params, values,
                           jacobian);
  double squares = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const double off = values[i] - problem.target[i];
    const double weight = problem.weights.empty() ? 1 : problem.weights[i];
    squares += weight * off * off;
    for (std::size_t k = 0; weight != 1 && k < count; ++k) {
      jacobian[k * rows + i] *= std::sqrt(weight);
    }
  }
  const double variance = squares / static_cast<double>(rows - count);
  std::vector<double> gram(count * count);
  formula::gram_matrix(jacobian.data(), count, rows, gram);
  // Each column of the inverse: the last column is a unit vector.
  const std::size_t stride = count + 1;
  const std::vector<std::uint8_t> all(count, 1);
  formula::DampedSolver solver;
  for (std::size_t param = 0; param < count; ++param) {
    std::vector<double> system(stride * stride, 0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        system[i * stride + j] = gram[i * count + j];
      }
    }
    system[param * stride + count] = 1;
    std::vector<double> column(count);
    const bool is_finite = solver.solve(system, stride, count, all, 0, column);
    const double deviation = std::sqrt(variance * column[param]);
    law.deviations.push_back(is_finite && deviation > 0
                                 ? deviation
                                 : std::numeric_limits<double>::infinity());
  }
}

}  // namespace lamarck::law
