// Chooses the law to recommend from a front.

#include <cmath>
#include <limits>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/exactness.h"
#include "lamarck/law/law.h"

namespace lamarck::law {
namespace {

// Below kNearlyExactNmse, a smaller error still favors the law over an
// approximation, but its size is mostly rounding. So it counts as if there were
// only this many rows.
constexpr double kRowsBelow = 10;

constexpr double kRowsPerConstant = 3;

}  // namespace

double description_length(const Law& law, std::size_t rows) {
  const auto n = static_cast<double>(rows);
  const auto k = static_cast<double>(law.params.size());
  // The geometric mean: extrapolation counts as much as the fit.
  double error = law.nmse;
  if (law.extrapolated > 0) {
    error = std::sqrt(std::max(law.nmse, formula::kRoundingNmse)) *
            std::sqrt(std::max(law.extrapolated, formula::kRoundingNmse));
  }
  const double above = std::max(error, formula::kNearlyExactNmse);
  const double below = std::max(std::min(error, formula::kNearlyExactNmse),
                                formula::kRoundingNmse) /
                       formula::kNearlyExactNmse;
  if (k + 1 >= n) return std::numeric_limits<double>::infinity();
  // Three constants or more can bend a formula through a handful of rows, so
  // such a law needs enough of them, unless it is exact.
  if (k >= 3 && n < kRowsPerConstant * k && error > formula::kRoundingNmse) {
    return std::numeric_limits<double>::infinity();
  }
  return (n - k) / 2 * std::log(above) +
         std::min(n, kRowsBelow) / 2 * std::log(below) + k / 2 * std::log(n) +
         static_cast<double>(law.size) * std::log(8.0);
}

std::size_t chosen_law(const std::vector<Law>& front,
                       const gp::RegressionProblem& problem) {
  ENSURE(!front.empty(), "the front has at least one law");
  std::size_t best = 0;
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < front.size(); ++i) {
    const double length = description_length(front[i], problem.rows());
    if (i == 0 || length < shortest) {
      shortest = length;
      best = i;
    }
  }
  return best;
}

}  // namespace lamarck::law
