// The parameters and buffers of a graph as named tensors.

#pragma once

#include "lamarck/graph/graph.h"
#include "lamarck/tensor/safetensors.h"

namespace lamarck {

// Copies the values of all parameters and buffers that have a name.
NamedTensors named_weights(const Graph& graph);

// Sets the values of the parameters and buffers. If names are missing or
// unknown, or shapes differ, returns an Error that lists them all and changes
// nothing. With `strict` false, missing and unknown names are skipped.
Result<void> set_weights(const Graph& graph, const NamedTensors& weights,
                         bool strict = true);

}  // namespace lamarck
