// Minimizes a smooth function of up to a few thousand variables when one
// evaluation covers all data: L-BFGS with a line search for the strong Wolfe
// conditions (Nocedal and Wright, Numerical Optimization, algorithms 7.4
// and 3.5).

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace lamarck::optim {

// Returns the loss at a point and writes its gradient. A non-finite loss or
// gradient marks the point as out of bounds; the line search then backs off.
using LossAndGradient =
    std::function<double(std::span<const float> at, std::span<float> gradient)>;

struct LbfgsOptions {
  std::size_t memory = 10;             // Past steps used for the Hessian; >= 1.
  std::size_t max_evaluations = 1000;  // Calls of the function; at least 1.
  double gradient_tolerance = 1e-6;  // Bound on the gradient's Euclidean norm.
  // Stops if the last `patience` steps together lowered the loss by at most
  // this fraction of it.
  double loss_tolerance = 1e-6;
  std::size_t patience = 5;  // At least 1.
};

enum class LbfgsReason : std::uint8_t {
  GradientSmall,
  LossFlat,
  EvaluationsSpent,
  NoDescent,       // No lower point, even along the gradient.
  StartNotFinite,  // The start was left unchanged.
};

struct LbfgsOutcome {
  double loss = 0;
  std::size_t evaluations = 0;
  double gradient_norm = 0;
  LbfgsReason reason = LbfgsReason::NoDescent;
};

// Moves `at` to a point whose loss is not above that of the start, and returns
// the loss there and the reason for stopping. Throws LogicError if an option is
// out of range.
LbfgsOutcome minimize_lbfgs(const LossAndGradient& function,
                            std::span<float> at,
                            const LbfgsOptions& options = {});

}  // namespace lamarck::optim
