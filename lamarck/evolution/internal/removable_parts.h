// Which edges and nodes a network can lose.

#pragma once

#include <vector>

#include "lamarck/evolution/mutation.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

// Edges whose removal, and the removal of the orphans that it leaves, keeps all
// bottlenecks and, if the limits say so, a forward edge to every output. In the
// order of Network::edges().
std::vector<Network::Ends> removable_edges(const Network& network,
                                           const MutationLimits& limits,
                                           bool recurrent);
// Hidden nodes likewise, in the order of Network::nodes().
std::vector<UnitId> removable_nodes(const Network& network,
                                    const MutationLimits& limits);

}  // namespace lamarck::evolution
