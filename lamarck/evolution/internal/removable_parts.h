// Finds the edges and nodes that a mutation may remove.

#pragma once

#include <vector>

#include "lamarck/evolution/mutation.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

// Returns the edges that may be removed. Removing the edge, and then the
// orphans that it leaves, must keep all bottlenecks and, with
// limits.keeps_outputs, a forward edge to every output. In the order of
// Network::edges().
std::vector<Network::Ends> removable_edges(const Network& network,
                                           const MutationLimits& limits,
                                           bool recurrent);
// Returns the hidden nodes that may be removed under the same condition, in the
// order of Network::nodes().
std::vector<UnitId> removable_nodes(const Network& network,
                                    const MutationLimits& limits);

}  // namespace lamarck::evolution
