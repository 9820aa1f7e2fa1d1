// The values of a graph's parameters by name.

#pragma once

#include "lamarck/graph/graph.h"
#include "lamarck/tensor/safetensors.h"

namespace lamarck {

// Of all parameters that have a name.
NamedTensors weights_of(const Graph& graph);

// Gives the parameters these values. A name that is missing or unknown, or a
// shape that differs, is an Error that lists it, and nothing is changed.
Result<void> set_weights(const Graph& graph, const NamedTensors& weights);

}  // namespace lamarck
