#include "lamarck/nn/internal/recurrent_layer.h"

#include <cmath>
#include <string>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/nn/internal/padding.h"

namespace lamarck::nn {

Init recurrent_init(std::int64_t hidden) {
  const float bound = 1 / std::sqrt(static_cast<float>(hidden));
  return Init::uniform(-bound, bound);
}

Var zero_state(const Graph& graph, std::int64_t hidden) {
  return graph.constant(Tensor::zeros({1, hidden}));
}

Var last_step(const Var& sequence) {
  return apply_operation(operation_named("last"), {&sequence, 1}, {});
}

Var run_sequence(std::string_view operation, std::vector<Var> inputs,
                 const std::optional<Var>& mask) {
  if (mask) {
    inputs[0] = without_padding(inputs[0], *mask);
    // The fused operations detect a mask by the number of their inputs.
    inputs.push_back(*mask);
  }
  return apply_operation(operation_named(operation), inputs, {});
}

void require_states(std::size_t states, std::size_t layers,
                    std::string_view layer) {
  REQUIRE(states == 0 || states == layers,
          "{}: initial must be empty or have one state for each of the {} "
          "layers, got {} states.",
          layer, layers, states);
}

}  // namespace lamarck::nn
