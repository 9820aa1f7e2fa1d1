#include "lamarck/evolution/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lamarck/base/error.h"
#include "lamarck/evolution/internal/owned_parameters.h"
#include "lamarck/evolution/internal/random_network.h"

namespace lamarck::evolution {
namespace {

using Ends = Network::Ends;

// The plainest network: names, and the numbers that belong to them.
struct Model {
  std::set<UnitId> hidden;
  std::set<Ends> forward;
  std::set<Ends> recurrent;
  OwnedParameters owned;

  bool has_path(UnitId from, UnitId to) const {
    if (from == to) return true;
    return std::ranges::any_of(forward, [&](const Ends& edge) {
      return edge.first == from && has_path(edge.second, to);
    });
  }
  void forget_edge(const Ends& ends, bool is_recurrent) {
    (is_recurrent ? recurrent : forward).erase(ends);
    owned.erase({ends.first, ends.second, is_recurrent ? 1 : 0});
  }
  void forget_node(UnitId id) {
    for (const bool is_recurrent : {false, true}) {
      for (const Ends& ends : std::set(is_recurrent ? recurrent : forward)) {
        if (ends.first == id || ends.second == id) {
          forget_edge(ends, is_recurrent);
        }
      }
    }
    hidden.erase(id);
    owned.erase({id, id, 2});
  }
  bool is_orphan(UnitId id) const {
    bool arrives = false;
    bool leaves = false;
    for (const auto* edges : {&forward, &recurrent}) {
      for (const auto& [from, to] : *edges) {
        arrives |= from != to && to == id;
        leaves |= from != to && from == id;
      }
    }
    return !arrives || !leaves;
  }
  std::size_t forget_orphans() {
    std::size_t count = 0;
    for (auto id = hidden.begin(); id != hidden.end();) {
      if (!is_orphan(*id)) {
        ++id;
        continue;
      }
      forget_node(*id);
      ++count;
      id = hidden.begin();
    }
    return count;
  }
};

// Edits a network and a model of it alike.
class Editor {
 public:
  explicit Editor(std::uint64_t seed) : rng_(seed) {
    for (const std::uint32_t width : {1u, 2u, 3u}) {
      inputs_.insert(network_.add_input({.channels = width}));
    }
    for (const std::uint32_t width : {1u, 2u}) {
      outputs_.insert(network_.add_output(width, Activation::Identity));
    }
    relabel();
  }

  void edit() {
    switch (rng_.below(8)) {
      case 0:
      case 1:
        add_hidden();
        break;
      case 2:
      case 3:
      case 4:
        add_edge(rng_.chance(0.3));
        break;
      case 5:
        remove_edge(rng_.chance(0.5));
        break;
      case 6:
        remove_node();
        break;
      default:
        if (rng_.chance(0.3)) {
          EXPECT_EQ(network_.remove_orphans(), model_.forget_orphans());
        }
    }
  }

  void compare() const {
    network_.check();
    EXPECT_EQ(owned_parameters(network_), model_.owned);
    const auto hidden = network_.hidden_nodes();
    EXPECT_EQ(std::set(hidden.begin(), hidden.end()), model_.hidden);
    const auto forward = network_.forward_edges();
    EXPECT_EQ(std::set(forward.begin(), forward.end()), model_.forward);
    const auto recurrent = network_.recurrent_edges();
    EXPECT_EQ(std::set(recurrent.begin(), recurrent.end()), model_.recurrent);
  }

 private:
  UnitId any_node() { return rng_.choice(network_.nodes()).id; }

  // New parameters begin at 0; then they get numbers to be known by.
  void relabel() {
    draw_all_parameters(network_, rng_);
    model_.owned = owned_parameters(network_);
  }

  void expect_zeros(const Owner& owner) {
    const Numbers made = owned_parameters(network_).at(owner);
    for (const auto& numbers : made) {
      for (const float number : numbers) EXPECT_EQ(number, 0);
    }
  }

  void add_hidden() {
    const std::vector cells = {Cell::Dense, Cell::Lstm, Cell::Gru};
    const UnitId id =
        network_.add_hidden({.cell = rng_.choice(cells),
                             .extent = {.channels = static_cast<std::uint32_t>(
                                            1 + rng_.below(3))}});
    model_.hidden.insert(id);
    expect_zeros({id, id, 2});
    const Numbers own = owned_parameters(network_)[{id, id, 2}];
    model_.owned[{id, id, 2}] = own;
    compare();
    relabel();
  }

  bool is_possible(const Ends& ends, bool recurrent) const {
    const auto& [from, to] = ends;
    if (inputs_.contains(to)) return false;
    if (recurrent) {
      return !inputs_.contains(from) && !model_.recurrent.contains(ends);
    }
    return from != to && !outputs_.contains(from) &&
           !model_.forward.contains(ends) && !model_.has_path(to, from);
  }

  void add_edge(bool recurrent) {
    const Ends ends{any_node(), any_node()};
    const auto add = [&] {
      recurrent ? network_.add_recurrent_edge(ends.first, ends.second)
                : network_.add_edge(ends.first, ends.second);
    };
    if (!is_possible(ends, recurrent)) {
      EXPECT_THROW(add(), LogicError);
      return;
    }
    add();
    (recurrent ? model_.recurrent : model_.forward).insert(ends);
    const Owner owner{ends.first, ends.second, recurrent ? 1 : 0};
    expect_zeros(owner);
    model_.owned[owner] = owned_parameters(network_)[owner];
    compare();
    relabel();
  }

  void remove_edge(bool recurrent) {
    const auto edges =
        recurrent ? network_.recurrent_edges() : network_.forward_edges();
    if (edges.empty()) return;
    const auto [from, to] = rng_.choice(edges);
    network_.remove_edge(from, to, recurrent);
    model_.forget_edge({from, to}, recurrent);
    EXPECT_THROW(network_.remove_edge(from, to, recurrent), LogicError);
  }

  void remove_node() {
    const UnitId id = any_node();
    if (!model_.hidden.contains(id)) {
      EXPECT_THROW(network_.remove_node(id), LogicError);
      return;
    }
    network_.remove_node(id);
    model_.forget_node(id);
  }

  Rng rng_;
  Network network_;
  Model model_;
  std::set<UnitId> inputs_;
  std::set<UnitId> outputs_;
};

TEST(Network, RandomEditsDoWhatTheyDoToAPlainModel) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Editor editor(seed);
    for (int i = 0; i < 60; ++i) {
      editor.edit();
      editor.compare();
      if (testing::Test::HasFailure()) return;
    }
  }
}

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

TEST(Network, AllEdgesThatArePossibleOneAfterTheOtherFormNoCycle) {
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
    // Every pair in one direction: 2 x 8 in, 8 x 7 / 2 among, 10 x 2 out.
    EXPECT_EQ(network.forward_edge_count(), 16 + 28 + 20);
  }
}

TEST(Network, OrphansGoOneAfterTheOther) {
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

TEST(Network, WhatOnlyRemembersAnotherIsNoOrphan) {
  Network network = minimal_network(1, 1);
  const UnitId id = network.add_hidden({});
  network.add_recurrent_edge(1, id);
  network.add_edge(id, 1);
  EXPECT_EQ(network.remove_orphans(), 0u);
}

// ---- Images

TEST(Network, AConvolutionReadsImagesOfOneSizeOnly) {
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

TEST(Network, NoMemoryLeadsAroundABottleneck) {
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

// ---- Topology hash

// The same topology with its hidden nodes made in another order, and its edges
// too; `with_outputs_last` also makes the outputs after them.
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

TEST(NetworkTopologyHash, IsTheSameHoweverTheNodesCameToBe) {
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

TEST(NetworkTopologyHash, ForgetsWeightsAndRemembersTheRest) {
  Network network = random_network(4);
  const std::uint64_t hash = network.topology_hash();
  Rng rng(1);
  draw_all_parameters(network, rng);
  EXPECT_EQ(network.topology_hash(), hash);
  network.set_aggregation(network.hidden_nodes()[0], Aggregation::Product);
  EXPECT_NE(network.topology_hash(), hash);
}

TEST(NetworkTopologyHash, DiffersWhereTopologiesDo) {
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

TEST(NetworkTopologyHash, SeesWhichInputAndWhichOutput) {
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

TEST(NetworkTopologyHash, SeesWhereInALongChainAShortCutIs) {
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

// ---- What networks begin with

TEST(MinimalNetwork, FeedsEveryOutputByEveryInput) {
  const Network network = minimal_network(3, 2, 7);
  network.check();
  EXPECT_TRUE(network.is_narrow());
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

TEST(MinimalLayers, AreOneMatrix) {
  const Network network =
      minimal_layers({.channels = 2, .height = 3, .width = 4}, 5, 7);
  network.check();
  EXPECT_FALSE(network.is_narrow());
  EXPECT_EQ(network.input_width(), 24u);
  EXPECT_EQ(network.output_width(), 5u);
  EXPECT_EQ(network.parameters().size(), 24u * 5 + 5);
  EXPECT_THROW(minimal_layers({}, 0), LogicError);
}

TEST(MinimalAutoencoder, LeadsThroughItsCode) {
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
