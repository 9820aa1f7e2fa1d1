// What the recurrent layers have in common.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lamarck/graph/graph.h"

namespace lamarck::nn {

// Uniform within 1 / sqrt(hidden), as PyTorch begins.
Init recurrent_init(std::int64_t hidden);

// Zeros of [1, hidden], which stretch over batches of any size.
Var zero_state(const Graph& graph, std::int64_t hidden);

// The last step of [steps, batch, size], as [batch, size].
Var last_step(const Var& sequence);

// The operation over the whole sequence, with the mask if there is one.
Var run_sequence(std::string_view operation, std::vector<Var> inputs,
                 const std::optional<Var>& mask);

// Throws LogicError unless there is an initial state for each layer, or none.
void require_states(std::size_t states, std::size_t layers,
                    std::string_view layer);

}  // namespace lamarck::nn
