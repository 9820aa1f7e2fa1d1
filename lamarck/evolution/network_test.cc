#include "lamarck/evolution/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lamarck/base/error.h"
#include "lamarck/evolution/random_network_fixture.h"

namespace lamarck::evolution {
namespace {

using Ends = Network::Ends;

std::set<Ends> edges_that_can_be_added(const Network& network, bool recurrent) {
  std::set<Ends> possible;
  for (const NetworkNode& from : network.nodes()) {
    for (const NetworkNode& to : network.nodes()) {
      Network copy = network;
      try {
        recurrent ? copy.add_recurrent_edge(from.id, to.id)
                  : copy.add_edge(from.id, to.id);
      } catch (const LogicError&) {
        EXPECT_EQ(copy.parameters(), network.parameters());
        continue;
      }
      copy.check();
      possible.emplace(from.id, to.id);
    }
  }
  return possible;
}

TEST(Network, PossibleEdgesAreExactlyThoseThatCanBeAdded) {
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = random_network(seed, 8);
    const auto forward = network.possible_edges();
    EXPECT_EQ(std::set(forward.begin(), forward.end()),
              edges_that_can_be_added(network, false));
    const auto recurrent = network.possible_recurrent_edges();
    EXPECT_EQ(std::set(recurrent.begin(), recurrent.end()),
              edges_that_can_be_added(network, true));
  }
}

TEST(Network, AddingAllPossibleEdgesFormsNoCycle) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Network network = minimal_network(2, 2, seed);
    for (int i = 0; i < 8; ++i) network.add_hidden({});
    while (true) {
      const auto ends = network.possible_edges();
      if (ends.empty()) break;
      const auto [from, to] = rng.choice(ends);
      network.add_edge(from, to);
      network.check();
    }
    // Every pair in one direction: 2 x 8 from inputs to hidden nodes, 8 x 7 / 2
    // among hidden nodes, 10 x 2 to outputs.
    EXPECT_EQ(network.forward_edge_count(), 16 + 28 + 20);
  }
}

TEST(Network, RemovesChainsOfOrphans) {
  Network network = minimal_network(1, 1);
  const UnitId first = network.add_hidden({});
  const UnitId second = network.add_hidden({});
  const UnitId third = network.add_hidden({});
  network.add_edge(0, first);
  network.add_edge(first, second);
  network.add_edge(second, third);
  network.add_recurrent_edge(third, third);
  EXPECT_EQ(network.remove_orphans(), 3u);
  EXPECT_EQ(network.hidden_count(), 0u);
  EXPECT_TRUE(network.has_edge(0, 1, false));
  network.check();
}

TEST(Network, NodeWithRecurrentInputIsNotOrphan) {
  Network network = minimal_network(1, 1);
  const UnitId id = network.add_hidden({});
  network.add_recurrent_edge(1, id);
  network.add_edge(id, 1);
  EXPECT_EQ(network.remove_orphans(), 0u);
}

// ---- Images

TEST(Network, ConvolutionReadsImagesOfOneSize) {
  Network network;
  const UnitId even =
      network.add_input({.channels = 1, .height = 8, .width = 8});
  const UnitId odd =
      network.add_input({.channels = 1, .height = 9, .width = 9});
  network.add_output(1, Activation::Identity);
  const UnitId id =
      network.add_hidden({.cell = Cell::Conv,
                          .kernel = 3,
                          .pool = 2,
                          .extent = {.channels = 2, .height = 4, .width = 4}});
  EXPECT_TRUE(network.can_connect(even, id));
  EXPECT_TRUE(network.can_connect(odd, id));
  network.add_edge(even, id);
  EXPECT_FALSE(network.can_connect(odd, id));
  EXPECT_THROW(network.add_edge(odd, id), LogicError);
  const auto possible = network.possible_edges();
  EXPECT_EQ(std::ranges::count(possible, Ends{odd, id}), 0);
}

TEST(Network, RecurrentEdgesDoNotBypassBottleneck) {
  const Network network = minimal_autoencoder(3, 1);
  Network grown = network;
  const UnitId before = grown.add_hidden({.stage = 0});
  const UnitId after = grown.add_hidden({.stage = 2});
  EXPECT_THROW(grown.add_recurrent_edge(before, after), LogicError);
  grown.add_recurrent_edge(after, before);
  for (const auto& [from, to] : grown.possible_recurrent_edges()) {
    EXPECT_LE(grown.node(to).stage, grown.node(from).stage + 1);
  }
}

// ---- Minimal networks

TEST(MinimalNetwork, ConnectsEveryInputToEveryOutput) {
  const Network network = minimal_network(3, 2, 7);
  network.check();
  EXPECT_TRUE(network.has_only_neurons());
  EXPECT_FALSE(network.is_recurrent());
  EXPECT_EQ(network.input_width(), 3u);
  EXPECT_EQ(network.output_width(), 2u);
  EXPECT_EQ(network.hidden_count(), 0u);
  EXPECT_EQ(network.forward_edge_count(), 6u);
  for (const float value : network.parameters().values) {
    EXPECT_LE(std::abs(value), 1);
  }
  EXPECT_EQ(network.parameters(), minimal_network(3, 2, 7).parameters());
  EXPECT_NE(network.parameters(), minimal_network(3, 2, 8).parameters());
  EXPECT_THROW(minimal_network(0, 1), LogicError);
  EXPECT_THROW(minimal_network(1, 0), LogicError);
}

TEST(MinimalLayers, HaveOneMatrix) {
  const Network network =
      minimal_layers({.channels = 2, .height = 3, .width = 4}, 5, 7);
  network.check();
  EXPECT_FALSE(network.has_only_neurons());
  EXPECT_EQ(network.input_width(), 24u);
  EXPECT_EQ(network.output_width(), 5u);
  EXPECT_EQ(network.parameters().size(), 24u * 5 + 5);
  EXPECT_THROW(minimal_layers({}, 0), LogicError);
}

TEST(MinimalAutoencoder, RoutesEverythingThroughCode) {
  const Network network = minimal_autoencoder(5, 2, 7);
  network.check();
  EXPECT_EQ(network.output_width(), 5u);
  EXPECT_EQ(network.hidden_count(), 2u);
  EXPECT_TRUE(network.changeable_nodes().empty());
  EXPECT_EQ(network.forward_edge_count(), 20u);
  EXPECT_TRUE(network.possible_edges().empty());
  EXPECT_THROW(minimal_autoencoder(2, 0), LogicError);
}

}  // namespace
}  // namespace lamarck::evolution
