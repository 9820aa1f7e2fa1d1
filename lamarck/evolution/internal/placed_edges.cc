#include "lamarck/evolution/internal/placed_edges.h"

#include <unordered_map>

namespace lamarck::evolution {

std::vector<PlacedEdge> place_edges(const Network& network) {
  std::unordered_map<UnitId, std::size_t> places;
  places.reserve(network.nodes().size());
  for (const NetworkNode& node : network.nodes()) {
    places.emplace(node.id, places.size());
  }
  std::vector<PlacedEdge> placed;
  placed.reserve(network.edges().size());
  for (const NetworkEdge& edge : network.edges()) {
    placed.push_back({.from = places.at(edge.from),
                      .to = places.at(edge.to),
                      .recurrent = edge.recurrent});
  }
  return placed;
}

}  // namespace lamarck::evolution
