// Minimising a smooth function of a few thousand numbers at most, when one
// evaluation covers all data: L-BFGS with a line search (Nocedal and Wright,
// Numerical Optimization, algorithms 7.4 and 3.5).

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace lamarck::optim {

// Returns the loss at a point and writes its gradient. A loss or a gradient
// that is not finite marks a point as out of bounds.
using LossAndGradient =
    std::function<double(std::span<const float> at, std::span<float> gradient)>;

struct LbfgsOptions {
  std::size_t memory = 10;  // Steps that shape the next; at least 1.
  std::size_t most_evaluations = 1000;  // Of loss and gradient; at least 1.
  double gradient_tolerance = 1e-6;     // Of its Euclidean norm.
  // Stops if `patience` steps together have lowered the loss by less than this
  // share of it.
  double loss_tolerance = 1e-6;
  std::size_t patience = 5;  // At least 1.
};

enum class LbfgsReason : std::uint8_t {
  GradientSmall,
  LossFlat,
  EvaluationsSpent,
  NoDescent,       // Not even along the gradient, as far as floats tell.
  StartNotFinite,  // Nothing was changed.
};

struct LbfgsOutcome {
  double loss = 0;
  std::size_t evaluations = 0;
  double gradient_norm = 0;
  LbfgsReason reason = LbfgsReason::NoDescent;
};

// Moves `at` to a point whose loss is not above that of the start, and tells
// what it is there. Throws LogicError for options out of range.
LbfgsOutcome minimize_lbfgs(const LossAndGradient& function,
                            std::span<float> at,
                            const LbfgsOptions& options = {});

}  // namespace lamarck::optim
