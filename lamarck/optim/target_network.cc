#include "lamarck/optim/target_network.h"

#include <algorithm>
#include <string>

#include "lamarck/base/ensure.h"

namespace lamarck::optim {
namespace {

void require_same_shapes(std::span<const Var> target,
                         std::span<const Var> source,
                         const std::string& operation) {
  REQUIRE(target.size() == source.size(),
          "{}: both networks must have the same number of parameters, got {} "
          "in the target and {} in the source.",
          operation, target.size(), source.size());
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!(target[i].shape() == source[i].shape())) {
      throw_shape_mismatch(operation, target[i].shape(), source[i].shape(),
                           "parameter " + std::to_string(i) + " is '" +
                               target[i].name() + "' in the target and '" +
                               source[i].name() + "' in the source");
    }
  }
}

}  // namespace

void soft_update(std::span<const Var> target_parameters,
                 std::span<const Var> source_parameters, float tau) {
  require_same_shapes(target_parameters, source_parameters, "soft_update");
  REQUIRE(tau >= 0 && tau <= 1,
          "soft_update: tau must be between 0 and 1, got {}.", tau);
  for (std::size_t i = 0; i < target_parameters.size(); ++i) {
    const Tensor source = source_parameters[i].value();
    const std::span<const float> from = source.data();
    const std::span<float> to = target_parameters[i].elements();
    for (std::size_t k = 0; k < to.size(); ++k) {
      // With tau 1 the result must equal the source; to + (from - to) may
      // round.
      to[k] = tau == 1 ? from[k] : to[k] + tau * (from[k] - to[k]);
    }
  }
}

void copy_parameters(std::span<const Var> from, std::span<const Var> to) {
  require_same_shapes(to, from, "copy_parameters");
  for (std::size_t i = 0; i < to.size(); ++i) to[i].set_value(from[i].value());
}

}  // namespace lamarck::optim
