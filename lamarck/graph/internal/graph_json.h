// A graph's topology as JSON; the values of its leaves stand beside it.

#pragma once

#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {

// For what belongs to the folder but not to the class.
struct GraphAccess {
  static GraphState& state(const Graph& graph) { return *graph.state_; }
  static GraphState& state(const Var& var) { return *var.state_; }
};

Result<Shape> shape_from_json(const Json& json);

// Appends each leaf's value (and where a memory begins) to `tensors`; the JSON
// refers to them by position. Nodes are numbered anew, without gaps.
Json graph_to_json(const Graph& graph, std::vector<Tensor>& tensors);

// The error names the node and what is wrong with it.
Result<Graph> graph_from_json(const Json& json,
                              const std::vector<Tensor>& tensors);

}  // namespace lamarck
