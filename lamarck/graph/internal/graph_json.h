// A graph's topology as JSON. The values of its leaves are kept separately, in
// a list of tensors that the JSON refers to by index.

#pragma once

#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {

// Gives the other files of this folder access to the state behind a handle.
struct GraphAccess {
  static GraphState& state(const Graph& graph) { return *graph.state_; }
  static GraphState& state(const Var& var) { return *var.state_; }
};

// Parses a list of sizes such as [64, 784].
Result<Shape> shape_from_json(const Json& json);

// Appends the value of each leaf, and the initial value of each memory, to
// `tensors`. Renumbers the nodes without gaps.
Json graph_to_json(const Graph& graph, std::vector<Tensor>& tensors);

// An error names the node and what is wrong with it.
Result<Graph> graph_from_json(const Json& json,
                              const std::vector<Tensor>& tensors);

}  // namespace lamarck
