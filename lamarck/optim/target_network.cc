#include "lamarck/optim/target_network.h"

#include <algorithm>
#include <string>

#include "lamarck/base/ensure.h"

namespace lamarck::optim {
namespace {

void require_alike(std::span<const Var> target, std::span<const Var> source,
                   const std::string& operation) {
  REQUIRE(target.size() == source.size(),
          operation +
              ": both networks have the same number of parameters, "
              "but the target has " +
              std::to_string(target.size()) + " and the source " +
              std::to_string(source.size()));
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!(target[i].shape() == source[i].shape())) {
      throw_shape_mismatch(operation, target[i].shape(), source[i].shape(),
                           "parameter " + std::to_string(i) + " is '" +
                               target[i].name() + "' and '" + source[i].name() +
                               "'");
    }
  }
}

}  // namespace

void soft_update(std::span<const Var> target_parameters,
                 std::span<const Var> source_parameters, float tau) {
  require_alike(target_parameters, source_parameters, "soft_update");
  REQUIRE(tau >= 0 && tau <= 1, "soft_update: 0 <= tau <= 1");
  for (std::size_t i = 0; i < target_parameters.size(); ++i) {
    const Tensor source = source_parameters[i].value();
    const std::span<const float> from = source.data();
    const std::span<float> to = target_parameters[i].elements();
    for (std::size_t k = 0; k < to.size(); ++k) {
      // At 1 the source exactly, which to + tau (from - to) may miss.
      to[k] = tau == 1 ? from[k] : to[k] + tau * (from[k] - to[k]);
    }
  }
}

void copy_parameters(std::span<const Var> from, std::span<const Var> to) {
  require_alike(to, from, "copy_parameters");
  for (std::size_t i = 0; i < to.size(); ++i) to[i].set_value(from[i].value());
}

}  // namespace lamarck::optim
