// Compares removable_parts with the plain definition: remove each part from a
// copy and check what is left.

#include "lamarck/evolution/internal/removable_parts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lamarck/evolution/random_network_fixture.h"

namespace lamarck::evolution {
namespace {

using Ends = Network::Ends;

std::size_t count_bottlenecks(const Network& network) {
  return network.hidden_count() - network.changeable_nodes().size();
}

bool is_plain_orphan(const Network& network, UnitId id) {
  bool arrives = false;
  bool leaves = false;
  for (const NetworkEdge& edge : network.edges()) {
    if (edge.from == edge.to) continue;
    arrives |= edge.to == id;
    leaves |= edge.from == id;
  }
  return !arrives || !leaves;
}

// Removes one orphan at a time.
std::size_t remove_orphans_plainly(Network& network) {
  for (std::size_t removed = 0;; ++removed) {
    const auto hidden = network.hidden_nodes();
    const auto orphan = std::ranges::find_if(
        hidden, [&](UnitId id) { return is_plain_orphan(network, id); });
    if (orphan == hidden.end()) return removed;
    network.remove_node(*orphan);
  }
}

bool has_forward_edge_to(const Network& network, UnitId id) {
  return std::ranges::any_of(network.edges(), [&](const NetworkEdge& edge) {
    return edge.to == id && !edge.recurrent;
  });
}

// Whether `left`, without its orphans, still has all bottlenecks of `before`
// and the edges to outputs that the limits require.
bool keeps_needs(const Network& before, Network left,
                 const MutationLimits& limits) {
  remove_orphans_plainly(left);
  if (count_bottlenecks(left) != count_bottlenecks(before)) return false;
  const auto outputs = left.nodes_of(Role::Output);
  return !limits.keeps_outputs || std::ranges::all_of(outputs, [&](UnitId id) {
    return has_forward_edge_to(left, id);
  });
}

// Whether `gone` is the last outgoing edge of a hidden node or the last
// incoming edge of a node, where outputs count forward edges only. All other
// edges can be removed.
bool is_last_edge(const Network& network, const NetworkEdge& gone) {
  const bool reaches_output = network.node(gone.to).role == Role::Output;
  bool leaves_more = network.node(gone.from).role != Role::Hidden;
  bool reaches_more = false;
  for (const NetworkEdge& edge : network.edges()) {
    if (edge.from == edge.to || edge.is_same_place(gone)) continue;
    leaves_more |= edge.from == gone.from;
    reaches_more |= edge.to == gone.to && !(reaches_output && edge.recurrent);
  }
  return !leaves_more || !reaches_more;
}

std::vector<Ends> plain_removable_edges(const Network& network,
                                        const MutationLimits& limits,
                                        bool recurrent) {
  const bool has_needs = limits.keeps_outputs || count_bottlenecks(network) > 0;
  std::vector<Ends> ends;
  for (const NetworkEdge& edge : network.edges()) {
    if (edge.recurrent != recurrent) continue;
    Network left = network;
    left.remove_edge(edge.from, edge.to, recurrent);
    if (has_needs && is_last_edge(network, edge) &&
        !keeps_needs(network, left, limits)) {
      continue;
    }
    ends.emplace_back(edge.from, edge.to);
  }
  return ends;
}

std::vector<UnitId> plain_removable_nodes(const Network& network,
                                          const MutationLimits& limits) {
  std::vector<UnitId> ids = network.changeable_nodes();
  std::erase_if(ids, [&](UnitId id) {
    Network left = network;
    left.remove_node(id);
    return !keeps_needs(network, left, limits);
  });
  return ids;
}

void expect_plain_answers(const Network& network, std::uint64_t seed) {
  for (const bool keeps_outputs : {false, true}) {
    const MutationLimits limits{.keeps_outputs = keeps_outputs,
                                .score_units = nullptr};
    for (const bool recurrent : {false, true}) {
      ASSERT_EQ(removable_edges(network, limits, recurrent),
                plain_removable_edges(network, limits, recurrent))
          << "seed " << seed << ", keeps_outputs " << keeps_outputs
          << ", recurrent " << recurrent;
    }
    ASSERT_EQ(removable_nodes(network, limits),
              plain_removable_nodes(network, limits))
        << "seed " << seed << ", keeps_outputs " << keeps_outputs;
  }
}

// Random edges wherever they are valid, so that some nodes are orphans and some
// outputs have no edge.
Network scattered_network(std::uint64_t seed) {
  Rng rng = Rng(seed).split("scattered_network");
  const bool has_bottleneck = rng.below(2) == 1;
  Network network;
  for (std::size_t i = 1 + rng.below(3); i-- > 0;) network.add_input({});
  for (std::size_t i = 1 + rng.below(2); i-- > 0;) {
    network.add_output(1, Activation::Identity, has_bottleneck ? 2 : 0);
  }
  for (std::size_t i = rng.below(8); i-- > 0;) {
    const std::size_t stage = has_bottleneck ? rng.below(3) : 0;
    network.add_hidden({.stage = static_cast<std::uint8_t>(stage)});
  }
  const std::uint64_t recurrent_in_ten = 5 * rng.below(2);
  for (std::size_t i = rng.below(4 * network.nodes().size()); i-- > 0;) {
    const bool recurrent = rng.below(10) < recurrent_in_ten;
    const auto ends = recurrent ? network.possible_recurrent_edges()
                                : network.possible_edges();
    if (ends.empty()) continue;
    const auto [from, to] = rng.choice(ends);
    if (recurrent) {
      network.add_recurrent_edge(from, to);
    } else {
      network.add_edge(from, to);
    }
  }
  return network;
}

TEST(RemovableParts, MatchDefinitionOnScatteredNetworks) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    expect_plain_answers(scattered_network(seed), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(RemovableParts, MatchDefinitionOnGrownNetworks) {
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    expect_plain_answers(random_network(seed, 16), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(RemovableParts, OrphansMatchDefinition) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Network fast = scattered_network(seed);
    Network plain = fast;

    const std::size_t fast_count = fast.remove_orphans();
    const std::size_t plain_count = remove_orphans_plainly(plain);

    ASSERT_EQ(fast_count, plain_count) << "seed " << seed;
    ASSERT_EQ(fast.hidden_nodes(), plain.hidden_nodes()) << "seed " << seed;
    ASSERT_EQ(fast.forward_edges(), plain.forward_edges()) << "seed " << seed;
    ASSERT_EQ(fast.recurrent_edges(), plain.recurrent_edges())
        << "seed " << seed;
    ASSERT_NO_THROW(fast.check()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lamarck::evolution
