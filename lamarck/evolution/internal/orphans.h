// Finds hidden nodes that do not contribute to any output.

#pragma once

#include <span>
#include <vector>

#include "lamarck/evolution/internal/placed_edges.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

// Marks, by position in Network::nodes(), each hidden node that has no incoming
// or no outgoing edge. Self-loops and edges of other orphans do not count.
// REQUIRES: `edges` are those of `network`.
std::vector<bool> find_orphans(const Network& network,
                               std::span<const PlacedEdge> edges);

}  // namespace lamarck::evolution
