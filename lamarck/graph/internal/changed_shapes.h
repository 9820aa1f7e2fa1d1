// The shapes that change when a node gets other inputs.

#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {

// Returns the new shapes of `id` with these inputs and of every node downstream
// whose shape changes; nullopt if the inputs of some node would no longer fit.
// Visits only nodes that read a changed one, so the cost does not grow with the
// graph. REQUIRES: the shapes are current, and `order` admits the inputs.
std::optional<std::unordered_map<NodeId, Shape>> find_changed_shapes(
    const GraphState& state, const NodeOrder& order, NodeId id,
    std::span<const NodeId> inputs);

}  // namespace lamarck
