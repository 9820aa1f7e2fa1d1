#include <cmath>
#include <limits>

#include "lamarck/base/ensure.h"
#include "lamarck/law/law.h"

namespace lamarck::law {
namespace {

// Below this, errors tell stand-ins from the law but say little by their size.
constexpr double kNearlyExact = 1e-20;
constexpr double kLeastError = 1e-29;
constexpr double kRowsBelow = 10;

// Nats that rows, constants and nodes take, up to what all laws share.
double description_length(const Law& law, std::size_t rows) {
  const auto n = static_cast<double>(rows);
  const auto k = static_cast<double>(law.params.size());
  // What it foretells counts as much as what it was fitted to.
  double error = law.nmse;
  if (law.foretold > 0) {
    error = std::sqrt(std::max(law.nmse, kLeastError)) *
            std::sqrt(std::max(law.foretold, kLeastError));
  }
  const double above = std::max(error, kNearlyExact);
  const double below =
      std::max(std::min(error, kNearlyExact), kLeastError) / kNearlyExact;
  // Few rows for many constants say little (the correction of AICc).
  if (k + 1 >= n) return std::numeric_limits<double>::infinity();
  const double scarcity = k * (k + 1) / (n - k - 1);
  return scarcity + n / 2 * std::log(above) +
         std::min(n, kRowsBelow) / 2 * std::log(below) + k / 2 * std::log(n) +
         static_cast<double>(law.size) * std::log(8.0);
}

}  // namespace

std::size_t chosen_law(const std::vector<Law>& front,
                       const gp::RegressionProblem& problem) {
  ENSURE(!front.empty(), "there is a law to choose");
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < front.size(); ++i) {
    const double length = description_length(front[i], problem.rows());
    if (i == 0 || length < least) {
      least = length;
      best = i;
    }
  }
  return best;
}

}  // namespace lamarck::law
