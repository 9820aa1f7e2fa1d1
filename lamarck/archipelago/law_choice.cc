#include <cmath>
#include <limits>

#include "lamarck/archipelago/law.h"
#include "lamarck/base/ensure.h"

namespace lamarck::archipelago {
namespace {

// Nats that rows, constants and nodes take, up to what all laws share.
double description_length(const Law& law, std::size_t rows) {
  const auto n = static_cast<double>(rows);
  const auto k = static_cast<double>(law.params.size());
  return n / 2 * std::log(std::max(law.nmse, 1e-24)) + k / 2 * std::log(n) +
         static_cast<double>(law.size) * std::log(8.0);
}

}  // namespace

std::size_t chosen_law(const std::vector<Law>& front,
                       const RegressionProblem& problem) {
  ENSURE(!front.empty(), "there is a law to choose");
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < front.size(); ++i) {
    const double length = description_length(front[i], problem.rows());
    if (length < least) {
      least = length;
      best = i;
    }
  }
  return best;
}

}  // namespace lamarck::archipelago
