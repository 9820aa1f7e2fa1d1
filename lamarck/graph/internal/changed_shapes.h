// The shapes that change when a node gets other inputs.

#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {

// The new shapes of `id` with these inputs, and of the nodes behind it; nothing
// if some node would no longer fit. Looks only at nodes that read a changed
// one. REQUIRES: the shapes are current, and `order` admits the inputs.
std::optional<std::unordered_map<NodeId, Shape>> find_changed_shapes(
    const GraphState& state, const NodeOrder& order, NodeId id,
    std::span<const NodeId> inputs);

}  // namespace lamarck
