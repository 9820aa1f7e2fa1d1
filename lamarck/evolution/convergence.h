// Whether training a topology further is worth it.

#pragma once

#include <cstddef>
#include <deque>

namespace lamarck::evolution {

struct ConvergenceOptions {
  // Converged when the losses of the last `patience` epochs lie so close
  // together, relative to the lowest...
  double loss_tolerance = 1e-4;
  // ... or when the gradient is shorter than this.
  double grad_tolerance = 1e-5;
  std::size_t patience = 5;
};

class ConvergenceDetector {
 public:
  explicit ConvergenceDetector(const ConvergenceOptions& options)
      : options_(options) {}

  // To be asked once an epoch.
  bool is_converged(double loss, double gradient_norm);
  void reset() { losses_.clear(); }

 private:
  ConvergenceOptions options_;
  std::deque<double> losses_;  // The last `patience` of them.
};

}  // namespace lamarck::evolution
