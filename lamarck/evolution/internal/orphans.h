// Hidden nodes that compute nothing of use.

#pragma once

#include <span>
#include <vector>

#include "lamarck/evolution/internal/placed_edges.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

// Marks, by place, each hidden node without an edge to it or without an edge
// from it, where self-loops and edges of other orphans do not count.
// REQUIRES: `edges` are those of `network`.
std::vector<bool> find_orphans(const Network& network,
                               std::span<const PlacedEdge> edges);

}  // namespace lamarck::evolution
