#include "lamarck/evolution/convergence.h"

#include <algorithm>
#include <cmath>

namespace lamarck::evolution {

bool ConvergenceDetector::is_converged(double loss, double gradient_norm) {
  if (gradient_norm < options_.grad_tolerance) return true;
  losses_.push_back(loss);
  if (losses_.size() > options_.patience) losses_.pop_front();
  if (losses_.size() < options_.patience) return false;
  const auto [low, high] = std::ranges::minmax(losses_);
  constexpr double kTiny = 1e-8;  // Avoids a division by 0.
  return (high - low) / (std::abs(low) + kTiny) < options_.loss_tolerance;
}

}  // namespace lamarck::evolution
