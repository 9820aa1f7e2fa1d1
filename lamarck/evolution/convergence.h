// Decides when to stop training a topology.

#pragma once

#include <cstddef>
#include <deque>

namespace lamarck::evolution {

struct ConvergenceOptions {
  // Converged when the spread of the last `patience` losses, relative to the
  // lowest of them, is below this...
  double loss_tolerance = 1e-4;
  // ... or when the norm of the gradient is below this.
  double grad_tolerance = 1e-5;
  std::size_t patience = 5;
};

class ConvergenceDetector {
 public:
  explicit ConvergenceDetector(const ConvergenceOptions& options)
      : options_(options) {}

  // Records the loss and returns whether training has converged. Call it once
  // per epoch.
  bool is_converged(double loss, double gradient_norm);
  void reset() { losses_.clear(); }

 private:
  ConvergenceOptions options_;
  std::deque<double> losses_;  // At most the last `patience` losses.
};

}  // namespace lamarck::evolution
