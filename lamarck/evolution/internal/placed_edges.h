// A network's edges by the positions of their nodes, so that algorithms over
// the whole network need not look up ids.

#pragma once

#include <cstddef>
#include <vector>

#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

struct PlacedEdge {
  std::size_t from = 0;  // Position in Network::nodes().
  std::size_t to = 0;    // Position in Network::nodes().
  bool recurrent = false;

  bool is_self_loop() const { return from == to; }
};

// In the order of Network::edges().
std::vector<PlacedEdge> place_edges(const Network& network);

}  // namespace lamarck::evolution
