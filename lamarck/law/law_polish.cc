#include "lamarck/law/law_polish.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <fmt/format.h>

#include "lamarck/base/rng.h"
#include "lamarck/formula/exactness.h"
#include "lamarck/formula/fit.h"
#include "lamarck/gp/gp_engine.h"
#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/gp_normalise.h"
#include "lamarck/gp/gp_prune.h"

namespace lamarck::law {

using formula::Op;
using gp::GpModel;
using gp::GpRows;
using gp::RegressionProblem;

namespace {

constexpr std::size_t kMaxNodes = 400;
constexpr std::size_t kPruningRows = 2048;  // Enough to decide what to prune.

// Evenly spaced rows, about `max` of them.
GpRows gather_rows(const RegressionProblem& problem, std::size_t max) {
  const std::size_t rows = problem.rows();
  const std::size_t step = std::max<std::size_t>(1, rows / max);
  GpRows result;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < rows; i += step) indices.push_back(i);
  const auto gathered = [&](const std::vector<double>& values) {
    std::vector<double> some;
    for (const std::size_t index : indices) some.push_back(values[index]);
    return some;
  };
  result.rows = indices.size();
  for (const auto& column : problem.inputs) {
    result.inputs.emplace_back(gathered(column));
  }
  std::vector<double> target = gathered(problem.target);
  const std::vector<double> weights =
      problem.weights.empty() ? problem.weights : gathered(problem.weights);
  result.variance = gp::squared_spread(target, weights);
  if (!(result.variance > 0)) result.variance = 1e-300;
  if (!weights.empty()) {
    std::vector<double> roots;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      roots.push_back(std::sqrt(weights[i]));
      target[i] *= roots[i];
    }
    result.weight = gp::GpColumn(roots);
  }
  result.target = gp::GpColumn(target);
  return result;
}

// Rounds to an integer or a simple fraction if the value is very close to it.
double rounded(double value) {
  constexpr std::array kSimple = {0.5, 1.0 / 3, 0.25, 2.0 / 3, 1.5};
  const double whole = std::round(value);
  if (whole != 0 && std::fabs(value - whole) < 1e-7 * std::fabs(whole)) {
    return whole;
  }
  for (const double simple : kSimple) {
    if (std::fabs(std::fabs(value) - simple) < 1e-7 * simple) {
      return std::copysign(simple, value);
    }
  }
  return value;
}

// Rounds constants within terms that are close to a simple number, one by one,
// if the error does not grow.
void round_constants(GpModel& model, const GpRows& rows, gp::GpFitter& fitter) {
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    for (std::size_t i = 0; i < model.terms[t].size(); ++i) {
      const gp::GpNode& node = model.terms[t][i];
      if (node.op != Op::Constant || rounded(node.value) == node.value) {
        continue;
      }
      GpModel candidate = model;
      candidate.terms[t][i].value = rounded(node.value);
      if (fitter.fit(candidate, rows, {.steps = 0}) &&
          candidate.nmse <=
              std::max(1.005 * model.nmse, formula::kRoundingNmse)) {
        model = std::move(candidate);
      }
    }
  }
}

Law make_law(const GpModel& model, const RegressionProblem& problem,
             const Law& origin) {
  const archipelago::SkeletonPtr skeleton = gp::gp_skeleton(model, problem);
  const auto& fitted = dynamic_cast<const gp::FittedSkeleton&>(*skeleton);
  Law law = origin;
  law.formula.body = fitted.formula().body;
  law.params.assign(fitted.constants().begin(), fitted.constants().end());
  law.size = law.formula.body.size();
  law.nmse = law_nmse(law.formula.body, law.params, problem);
  return law;
}

// Never increases the error: keeps the params if the fit is not better.
Law refitted(const Law& law, const RegressionProblem& problem,
             const CancelToken& cancel) {
  formula::ExpressionPlan plan(law.formula.body);
  const std::vector<const double*> pointers = problem.input_pointers();
  Rng rng = Rng(law.formula.body.hash()).split("polish");
  const formula::Fit fit =
      formula::fit(plan, {.inputs = pointers, .rows = problem.rows()},
                   problem.target, law.params,
                   {.iterations = 100,
                    .starts = 1,
                    .first_rows = 0,
                    .weights = problem.weights},
                   rng, cancel);
  Law better = law;
  better.nmse = law_nmse(law.formula.body, law.params, problem);
  if (fit.is_finite() && fit.nmse < better.nmse) {
    better.params = fit.params;
    better.nmse = law_nmse(law.formula.body, fit.params, problem);
  }
  return better;
}

// Whether the law is a constant and the target is constant. The mean of the
// target may be off by rounding, so the constant is set exactly.
bool is_flat_law(const Law& law, const RegressionProblem& problem) {
  const auto& nodes = law.formula.body.nodes();
  return nodes.size() == 1 && nodes[0].op == Op::Param &&
         std::all_of(problem.target.begin(), problem.target.end(),
                     [&](double y) { return y == problem.target[0]; });
}

// Returns 2 for 1.9999999999999998.
double without_last_bits(double value) {
  const std::string text = fmt::format("{:.12g}", value);
  double shorter = value;
  std::from_chars(text.data(), text.data() + text.size(), shorter);
  return std::fabs(shorter - value) <= 1e-14 * std::fabs(value) ? shorter
                                                                : value;
}

// Rounds the last bits of the params, which depend on the vector width of the
// processor. Without them, all machines print the same law.
void drop_last_bits(Law& law, const RegressionProblem& problem) {
  std::vector<double> params = law.params;
  for (double& param : params) param = without_last_bits(param);
  const double nmse = law_nmse(law.formula.body, params, problem);
  if (!(nmse <= std::max(law.nmse, formula::kRoundingNmse))) return;
  law.params = std::move(params);
  law.nmse = nmse;
}

// Returns the refitted law and, if possible, a shorter one.
std::vector<Law> refine(const Law& law, const RegressionProblem& problem,
                        const CancelToken& cancel) {
  std::vector<Law> laws = {refitted(law, problem, cancel)};
  if (is_flat_law(law, problem)) {
    laws[0].params.assign(law.params.size(), problem.target[0]);
    laws[0].nmse = 0;
    return laws;
  }
  const auto tree = gp::make_gp_tree(law.formula.body, law.params, kMaxNodes);
  if (!tree || cancel.is_cancelled()) return laws;
  GpModel model;
  model.terms = {*tree};
  gp::normalize(model);
  gp::GpFitter fitter;
  const GpRows rows = gather_rows(problem, kPruningRows);
  if (model.terms.empty() || !fitter.fit(model, rows, {.steps = 30})) {
    return laws;
  }
  model = gp::pruned(std::move(model), rows, fitter);
  round_constants(model, rows, fitter);
  if (cancel.is_cancelled()) return laws;
  const GpRows all = gather_rows(problem, problem.rows());
  GpModel exact = model;
  if (fitter.fit(exact, all, {.steps = 40})) model = exact;
  laws.push_back(make_law(model, problem, law));
  return laws;
}

}  // namespace

std::vector<Law> polish(const Law& law, const RegressionProblem& problem,
                        const CancelToken& cancel) {
  std::vector<Law> laws = refine(law, problem, cancel);
  for (Law& better : laws) drop_last_bits(better, problem);
  return laws;
}

}  // namespace lamarck::law
