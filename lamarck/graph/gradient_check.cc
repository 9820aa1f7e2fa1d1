#include "lamarck/graph/gradient_check.h"

#include <fmt/format.h>

#include <cmath>

namespace lamarck {
namespace {

// Returns the loss with one element of a leaf changed by `change`.
double loss_with(const Var& loss, const Var& leaf, const Tensor& value,
                 std::size_t element, float change) {
  Tensor moved = value.clone();
  moved.data()[element] += change;
  leaf.set_value(moved);
  loss.forward();
  return loss.item();
}

}  // namespace

GradientCheck check_gradients(const Var& loss, std::span<const Var> leaves,
                              float step) {
  for (const Var& leaf : leaves) leaf.zero_grad();
  loss.forward();
  loss.backward();
  std::vector<Tensor> gradients;
  for (const Var& leaf : leaves) {
    gradients.push_back(leaf.has_grad() ? leaf.grad()
                                        : Tensor::zeros(leaf.shape()));
  }
  GradientCheck check;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Tensor value = leaves[i].value();
    for (std::size_t at = 0; at < value.data().size(); ++at) {
      const double above = loss_with(loss, leaves[i], value, at, step);
      const double below = loss_with(loss, leaves[i], value, at, -step);
      const double measured = (above - below) / (2.0 * step);
      const double ours = gradients[i].data()[at];
      const double error = std::abs(ours - measured) / (1 + std::abs(measured));
      // A NaN compares false, so it needs its own check to be reported.
      if (error > check.largest_error || std::isnan(error)) {
        check.largest_error = error;
        check.where =
            fmt::format("leaf {}, element {}: gradient {:.6g}, measured {:.6g}",
                        i, at, ours, measured);
      }
    }
    leaves[i].set_value(value);
  }
  return check;
}

}  // namespace lamarck
