// For tests: the parameters of a network by owner, to show that an edit leaves
// those of other nodes and edges unchanged.

#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

// An edge is {from, to, 1 if it is recurrent, otherwise 0}; a node is {id, id,
// 2}.
using Owner = std::tuple<UnitId, UnitId, int>;
// Values, means, squares and ages.
using Numbers = std::array<std::vector<float>, 4>;
using OwnedParameters = std::map<Owner, Numbers>;

inline Numbers numbers_at(const Network& network, std::size_t begin,
                          std::size_t count) {
  Numbers numbers;
  const NetworkParameters& all = network.parameters();
  const std::array sources = {&all.values, &all.means, &all.squares, &all.ages};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::size_t k = begin; k < begin + count; ++k) {
      numbers[i].push_back(sources[i]->at(k));
    }
  }
  return numbers;
}

inline OwnedParameters owned_parameters(const Network& network) {
  OwnedParameters owned;
  for (const NetworkNode& node : network.nodes()) {
    owned[{node.id, node.id, 2}] =
        numbers_at(network, node.begin, node.own_count());
  }
  for (const NetworkEdge& edge : network.edges()) {
    owned[{edge.from, edge.to, edge.recurrent ? 1 : 0}] =
        numbers_at(network, edge.begin, edge.count);
  }
  return owned;
}

// Replaces every parameter, moment and age with a random number.
inline void draw_all_parameters(Network& network, Rng& rng) {
  NetworkParameters& all = network.parameters();
  for (auto* each : {&all.values, &all.means, &all.squares, &all.ages}) {
    for (float& number : *each) {
      number = static_cast<float>(rng.uniform(-1, 1));
    }
  }
}

}  // namespace lamarck::evolution
