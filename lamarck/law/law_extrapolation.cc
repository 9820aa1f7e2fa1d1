#include "lamarck/law/law_extrapolation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "lamarck/base/rng.h"
#include "lamarck/formula/fit.h"
#include "lamarck/gp/extrapolation_trial.h"
#include "lamarck/law/law.h"

namespace lamarck::law {
namespace {

using gp::RegressionProblem;

constexpr std::size_t kMaxLevels = 12;  // An input with more is continuous.
constexpr std::size_t kMinRows = 30;    // With fewer, leave one row out.

// A fixed sample, so that the same table always gives the same folds.
std::vector<std::size_t> sample_rows(const RegressionProblem& problem,
                                     std::size_t max) {
  std::vector<std::size_t> rows(problem.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= max) return rows;
  Rng rng = Rng(problem.rows()).split("foresight");
  std::vector<std::size_t> some = rng.sample(rows.size(), max);
  std::sort(some.begin(), some.end());
  return some;
}

// The distance of each row from the middle of the input, from 0 to 1. It uses
// ranks, so that neither the scale nor outliers matter.
std::vector<double> eccentricity(const std::vector<double>& column,
                                 const std::vector<std::size_t>& rows) {
  std::vector<double> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t row : rows) sorted.push_back(column[row]);
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> result;
  result.reserve(rows.size());
  for (const std::size_t row : rows) {
    const auto [low, high] =
        std::equal_range(sorted.begin(), sorted.end(), column[row]);
    const double rank = 0.5 * static_cast<double>((low - sorted.begin()) +
                                                  (high - sorted.begin()) - 1);
    result.push_back(std::fabs(
        2 * rank / std::max(1.0, static_cast<double>(rows.size() - 1)) - 1));
  }
  return result;
}

// A row is as far out as its farthest input.
ExtrapolationFold inner_fold(const RegressionProblem& problem,
                             const std::vector<std::size_t>& rows) {
  std::vector<double> farthest(rows.size(), 0);
  for (const std::vector<double>& column : problem.inputs) {
    const std::vector<double> one = eccentricity(column, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      farthest[i] = std::max(farthest[i], one[i]);
    }
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return farthest[a] < farthest[b]; });
  ExtrapolationFold fold;
  const auto inner = static_cast<std::size_t>(gp::kInnerShare *
                                              static_cast<double>(rows.size()));
  for (std::size_t i = 0; i < order.size(); ++i) {
    (i < inner ? fold.fitted : fold.predicted).push_back(rows[order[i]]);
  }
  return fold;
}

// One fold per inner level. A formula that only interpolates known levels fails
// here. Returns no folds for an input with many values or fewer than 4 levels.
std::vector<ExtrapolationFold> level_folds(
    const std::vector<double>& column, const std::vector<std::size_t>& rows) {
  std::map<double, std::vector<std::size_t>> levels;
  for (const std::size_t row : rows) {
    levels[column[row]].push_back(row);
    if (levels.size() > kMaxLevels) return {};
  }
  if (levels.size() < 4) return {};
  std::vector<ExtrapolationFold> folds;
  for (auto at = std::next(levels.begin()); at != std::prev(levels.end());
       ++at) {
    ExtrapolationFold fold;
    fold.predicted = at->second;
    for (const auto& [level, others] : levels) {
      if (level == at->first) continue;
      fold.fitted.insert(fold.fitted.end(), others.begin(), others.end());
    }
    folds.push_back(std::move(fold));
  }
  return folds;
}

// Each row is predicted by all others.
std::vector<ExtrapolationFold> leave_one_out_folds(std::size_t rows) {
  std::vector<ExtrapolationFold> folds(rows < 4 ? 0 : rows);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    folds[i].predicted = {i};
    for (std::size_t j = 0; j < rows; ++j) {
      if (j != i) folds[i].fitted.push_back(j);
    }
  }
  return folds;
}

RegressionProblem gather(const RegressionProblem& problem,
                         const std::vector<std::size_t>& rows) {
  RegressionProblem some;
  for (const std::vector<double>& column : problem.inputs) {
    std::vector<double>& values = some.inputs.emplace_back();
    for (const std::size_t row : rows) values.push_back(column[row]);
  }
  for (const std::size_t row : rows) {
    some.target.push_back(problem.target[row]);
    if (!problem.weights.empty()) some.weights.push_back(problem.weights[row]);
  }
  return some;
}

}  // namespace

std::vector<ExtrapolationFold> make_extrapolation_folds(
    const RegressionProblem& problem, std::size_t max_rows) {
  if (problem.rows() < kMinRows) return leave_one_out_folds(problem.rows());
  const std::vector<std::size_t> rows = sample_rows(problem, max_rows);
  std::vector<ExtrapolationFold> folds;
  for (const std::vector<double>& column : problem.inputs) {
    for (ExtrapolationFold& fold : level_folds(column, rows)) {
      folds.push_back(std::move(fold));
    }
  }
  if (folds.empty()) folds.push_back(inner_fold(problem, rows));
  return folds;
}

double extrapolated_nmse(const formula::Expression& body,
                         const std::vector<double>& params,
                         const RegressionProblem& problem,
                         const std::vector<ExtrapolationFold>& folds) {
  formula::ExpressionPlan plan(body);
  // The params were fitted to the predicted rows too. Perturbing them forces
  // the fit to find them again.
  std::vector<double> start = params;
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] *= 1 + (i % 2 == 0 ? gp::kPerturbation : -gp::kPerturbation);
  }
  const double variance = gp::variance_of(problem.target, problem.weights);
  double total = 0;
  for (const ExtrapolationFold& fold : folds) {
    const RegressionProblem fitted = gather(problem, fold.fitted);
    const RegressionProblem predicted = gather(problem, fold.predicted);
    Rng rng = Rng(body.hash()).split("foresight");
    const auto inputs = fitted.input_pointers();
    const formula::Fit fit = formula::fit(
        plan, {.inputs = inputs, .rows = fitted.rows()}, fitted.target, start,
        {.iterations = 40,
         .starts = 1,
         .first_rows = 0,
         .weights = fitted.weights},
        rng);
    if (!fit.is_finite()) return std::numeric_limits<double>::infinity();
    std::vector<double> values(predicted.rows());
    const auto others = predicted.input_pointers();
    plan.values({.inputs = others, .rows = predicted.rows()}, fit.params,
                values);
    double error = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double off = values[i] - predicted.target[i];
      const double weight =
          predicted.weights.empty() ? 1 : predicted.weights[i];
      error += weight * off * off;
    }
    total += error / gp::total_weight(predicted.weights, values.size());
  }
  const double nmse =
      total / static_cast<double>(folds.size()) / std::max(variance, 1e-300);
  return std::isfinite(nmse) ? nmse : std::numeric_limits<double>::infinity();
}

}  // namespace lamarck::law
