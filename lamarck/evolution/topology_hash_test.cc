// Tests which networks have the same topology hash.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lamarck/evolution/internal/owned_parameters.h"
#include "lamarck/evolution/random_network_fixture.h"

namespace lamarck::evolution {
namespace {

// The same topology, built with its hidden nodes and edges in random order.
// `with_outputs_last` adds the outputs after the hidden nodes.
Network rebuilt(const Network& network, Rng& rng, bool with_outputs_last) {
  Network other;
  std::map<UnitId, UnitId> ids;
  const auto add_outputs = [&] {
    for (const UnitId id : network.nodes_of(Role::Output)) {
      const NetworkNode& node = network.node(id);
      ids[id] =
          other.add_output(node.extent.channels, node.activation, node.stage);
    }
  };
  for (const UnitId id : network.nodes_of(Role::Input)) {
    ids[id] = other.add_input(network.node(id).extent);
  }
  if (!with_outputs_last) add_outputs();
  std::vector<UnitId> hidden = network.hidden_nodes();
  rng.shuffle(hidden);
  for (const UnitId id : hidden) ids[id] = other.add_hidden(network.node(id));
  if (with_outputs_last) add_outputs();
  std::vector<NetworkEdge> edges(network.edges().begin(),
                                 network.edges().end());
  rng.shuffle(edges);
  for (const NetworkEdge& edge : edges) {
    edge.recurrent ? other.add_recurrent_edge(ids[edge.from], ids[edge.to])
                   : other.add_edge(ids[edge.from], ids[edge.to]);
  }
  return other;
}

TEST(TopologyHash, IgnoresOrderOfConstruction) {
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Network network = random_network(seed, 20);
    for (const bool with_outputs_last : {false, true}) {
      const Network other = rebuilt(network, rng, with_outputs_last);
      other.check();
      EXPECT_EQ(other.topology_hash(), network.topology_hash());
    }
  }
}

TEST(TopologyHash, IgnoresWeightsButNotFunctions) {
  Network network = random_network(4);
  const std::uint64_t hash = network.topology_hash();
  Rng rng(1);
  draw_all_parameters(network, rng);
  EXPECT_EQ(network.topology_hash(), hash);
  network.set_aggregation(network.hidden_nodes()[0], Aggregation::Product);
  EXPECT_NE(network.topology_hash(), hash);
}

TEST(TopologyHash, DiffersForDifferentTopologies) {
  std::map<std::uint64_t, std::vector<std::size_t>> by_hash;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Network network = random_network(4 * seed, 8);
    const std::vector<std::size_t> counts = {
        network.hidden_count(), network.forward_edge_count(),
        network.recurrent_edge_count(), network.parameters().size()};
    const auto [place, is_new] =
        by_hash.emplace(network.topology_hash(), counts);
    EXPECT_TRUE(is_new || place->second == counts);
  }
  EXPECT_GT(by_hash.size(), 150u);
}

TEST(TopologyHash, DistinguishesInputsAndOutputs) {
  const auto hash_of = [](UnitId from, UnitId to) {
    Network network;
    network.add_input({});
    network.add_input({});
    network.add_output(1, Activation::Identity);
    network.add_output(1, Activation::Identity);
    network.add_edge(from, to);
    return network.topology_hash();
  };
  EXPECT_EQ(
      (std::set{hash_of(0, 2), hash_of(0, 3), hash_of(1, 2), hash_of(1, 3)})
          .size(),
      4u);
}

TEST(TopologyHash, LocatesShortcutInLongChain) {
  const auto hash_of = [](std::size_t place) {
    Network network = minimal_network(1, 1);
    std::vector<UnitId> chain = {0};
    for (int i = 0; i < 30; ++i) {
      chain.push_back(network.add_hidden({}));
      network.add_edge(chain[chain.size() - 2], chain.back());
    }
    network.add_edge(chain.back(), 1);
    network.add_edge(chain[place], chain[place + 2]);
    return network.topology_hash();
  };
  std::set<std::uint64_t> hashes;
  for (std::size_t place = 1; place < 29; ++place) {
    hashes.insert(hash_of(place));
  }
  EXPECT_EQ(hashes.size(), 28u);
}

}  // namespace
}  // namespace lamarck::evolution
