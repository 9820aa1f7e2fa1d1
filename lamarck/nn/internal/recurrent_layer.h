// Helpers shared by Rnn, Lstm and Gru.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lamarck/graph/graph.h"

namespace lamarck::nn {

// Uniform in +-1 / sqrt(hidden), PyTorch's default.
Init recurrent_init(std::int64_t hidden);

// A constant of zeros, [1, hidden], which broadcasts to any batch.
Var zero_state(const Graph& graph, std::int64_t hidden);

// Returns the last step of [steps, batch, size] as [batch, size]. Unlike a
// slice, it follows a change in the number of steps.
Var last_step(const Var& sequence);

// Applies the fused operation called `operation` to the whole sequence; the
// mask, if any, becomes the last input.
Var run_sequence(std::string_view operation, std::vector<Var> inputs,
                 const std::optional<Var>& mask);

// Throws LogicError, naming `layer`, unless `states` is 0 or equals `layers`.
void require_states(std::size_t states, std::size_t layers,
                    std::string_view layer);

}  // namespace lamarck::nn
