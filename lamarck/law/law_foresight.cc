#include "lamarck/law/law_foresight.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "lamarck/base/rng.h"
#include "lamarck/formula/fit.h"
#include "lamarck/gp/foresight_trial.h"
#include "lamarck/law/law.h"

namespace lamarck::law {
namespace {

using gp::RegressionProblem;

constexpr std::size_t kMostLevels = 12;
constexpr std::size_t kLeastRows = 30;  // Below it, one row at a time.

std::vector<std::size_t> some_rows(const RegressionProblem& problem,
                                   std::size_t most) {
  std::vector<std::size_t> rows(problem.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= most) return rows;
  Rng rng = Rng(problem.rows()).split("foresight");
  std::vector<std::size_t> some = rng.sample(rows.size(), most);
  std::sort(some.begin(), some.end());
  return some;
}

// From 0 in the middle of the input's rows to 1 at its ends.
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

ForesightFold inner_fold(const RegressionProblem& problem,
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
  ForesightFold fold;
  const auto inner = static_cast<std::size_t>(gp::kInnerShare *
                                              static_cast<double>(rows.size()));
  for (std::size_t i = 0; i < order.size(); ++i) {
    (i < inner ? fold.fitted : fold.foretold).push_back(rows[order[i]]);
  }
  return fold;
}

// Nothing for an input with many values.
std::vector<ForesightFold> level_folds(const std::vector<double>& column,
                                       const std::vector<std::size_t>& rows) {
  std::map<double, std::vector<std::size_t>> levels;
  for (const std::size_t row : rows) {
    levels[column[row]].push_back(row);
    if (levels.size() > kMostLevels) return {};
  }
  if (levels.size() < 4) return {};
  std::vector<ForesightFold> folds;
  for (auto at = std::next(levels.begin()); at != std::prev(levels.end());
       ++at) {
    ForesightFold fold;
    fold.foretold = at->second;
    for (const auto& [level, others] : levels) {
      if (level == at->first) continue;
      fold.fitted.insert(fold.fitted.end(), others.begin(), others.end());
    }
    folds.push_back(std::move(fold));
  }
  return folds;
}

// Each row is foretold by all others.
std::vector<ForesightFold> one_by_one(std::size_t rows) {
  std::vector<ForesightFold> folds(rows < 4 ? 0 : rows);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    folds[i].foretold = {i};
    for (std::size_t j = 0; j < rows; ++j) {
      if (j != i) folds[i].fitted.push_back(j);
    }
  }
  return folds;
}

RegressionProblem gathered(const RegressionProblem& problem,
                           const std::vector<std::size_t>& rows) {
  RegressionProblem some;
  for (const std::vector<double>& column : problem.inputs) {
    std::vector<double>& values = some.inputs.emplace_back();
    for (const std::size_t row : rows) values.push_back(column[row]);
  }
  for (const std::size_t row : rows) some.target.push_back(problem.target[row]);
  return some;
}

}  // namespace

std::vector<ForesightFold> foresight_folds(const RegressionProblem& problem,
                                           std::size_t most_rows) {
  if (problem.rows() < kLeastRows) return one_by_one(problem.rows());
  const std::vector<std::size_t> rows = some_rows(problem, most_rows);
  std::vector<ForesightFold> folds;
  for (const std::vector<double>& column : problem.inputs) {
    for (ForesightFold& fold : level_folds(column, rows)) {
      folds.push_back(std::move(fold));
    }
  }
  if (folds.empty()) folds.push_back(inner_fold(problem, rows));
  return folds;
}

double foretold_nmse(const formula::Expression& body,
                     const std::vector<double>& params,
                     const RegressionProblem& problem,
                     const std::vector<ForesightFold>& folds) {
  formula::ExpressionPlan plan(body);
  // They know the rows to be foretold, and must be found again.
  std::vector<double> nudged = params;
  for (std::size_t i = 0; i < nudged.size(); ++i) {
    nudged[i] *= 1 + (i % 2 == 0 ? gp::kPerturbation : -gp::kPerturbation);
  }
  const double variance = gp::variance_of(problem.target);
  double total = 0;
  for (const ForesightFold& fold : folds) {
    const RegressionProblem fitted = gathered(problem, fold.fitted);
    const RegressionProblem foretold = gathered(problem, fold.foretold);
    Rng rng = Rng(body.hash()).split("foresight");
    const auto inputs = fitted.input_pointers();
    const formula::Fit fit = formula::fit(
        plan, {.inputs = inputs, .rows = fitted.rows()}, fitted.target, nudged,
        {.iterations = 40, .starts = 1, .first_rows = 0}, rng);
    if (!fit.is_finite()) return std::numeric_limits<double>::infinity();
    std::vector<double> values(foretold.rows());
    const auto others = foretold.input_pointers();
    plan.values({.inputs = others, .rows = foretold.rows()}, fit.params,
                values);
    double error = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double off = values[i] - foretold.target[i];
      error += off * off;
    }
    total += error / static_cast<double>(values.size());
  }
  const double nmse =
      total / static_cast<double>(folds.size()) / std::max(variance, 1e-300);
  return std::isfinite(nmse) ? nmse : std::numeric_limits<double>::infinity();
}

}  // namespace lamarck::law
