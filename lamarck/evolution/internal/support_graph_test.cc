#include "lamarck/evolution/internal/support_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lamarck/base/rng.h"

namespace lamarck::evolution {
namespace {

using Nodes = std::vector<std::size_t>;

// The plain definition: removes one node, then repeatedly every node that has
// lost all its supporters.
std::vector<bool> lost_with(const SupportGraph& graph, std::size_t node) {
  std::vector<bool> is_lost(graph.size(), false);
  is_lost[node] = true;
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const auto& supporters = graph.supporters[i];
      if (is_lost[i] || supporters.empty()) continue;
      is_lost[i] = std::ranges::all_of(
          supporters, [&](std::size_t each) { return is_lost[each]; });
      is_changed |= is_lost[i];
    }
  }
  return is_lost;
}

std::vector<bool> plain_fatal_losses(const SupportGraph& graph,
                                     const Nodes& targets) {
  std::vector<bool> is_fatal;
  for (std::size_t node = 0; node < graph.size(); ++node) {
    const std::vector<bool> is_lost = lost_with(graph, node);
    is_fatal.push_back(std::ranges::any_of(
        targets, [&](std::size_t target) { return is_lost[target]; }));
  }
  return is_fatal;
}

TEST(SupportGraph, MarksNodesThatATargetDependsOn) {
  // 0 -> 1 -> {2, 3} -> 4, and a detour 0 -> 5 -> 3.
  SupportGraph graph(6);
  graph.add(0, 1);
  graph.add(1, 2);
  graph.add(1, 3);
  graph.add(2, 4);
  graph.add(3, 4);
  const Nodes targets = {4};
  EXPECT_EQ(find_fatal_losses(graph, targets),
            (std::vector<bool>{true, true, false, false, true, false}));
  graph.add(0, 5);
  graph.add(5, 3);
  EXPECT_EQ(find_fatal_losses(graph, targets),
            (std::vector<bool>{true, false, false, false, true, false}));
}

TEST(SupportGraph, NodesOnCycleSupportEachOtherUntilItBreaks) {
  // 0 -> 1 <-> 2 -> 3.
  SupportGraph graph(4);
  graph.add(0, 1);
  graph.add(1, 2);
  graph.add(2, 1);
  graph.add(2, 3);
  const Nodes targets = {3};
  EXPECT_EQ(find_fatal_losses(graph, targets),
            (std::vector<bool>{false, true, true, true}));
}

// With few edges there are long chains, with more there are cycles and detours.
SupportGraph random_support_graph(Rng& rng) {
  const std::size_t nodes = 1 + rng.below(14);
  SupportGraph graph(nodes);
  const bool has_cycles = rng.below(2) == 1;
  for (std::size_t i = rng.below(3 * nodes + 1); i-- > 0;) {
    std::size_t from = rng.below(nodes);
    std::size_t to = rng.below(nodes);
    if (from == to) continue;
    if (!has_cycles && from > to) std::swap(from, to);
    graph.add(from, to);
  }
  return graph;
}

TEST(SupportGraph, MatchesDefinitionOnRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Rng rng(seed);
    const SupportGraph graph = random_support_graph(rng);
    Nodes targets;
    for (std::size_t node = 0; node < graph.size(); ++node) {
      if (rng.below(5) == 0) targets.push_back(node);
    }
    ASSERT_EQ(find_fatal_losses(graph, targets),
              plain_fatal_losses(graph, targets))
        << "seed " << seed;
  }
}

TEST(SupportGraph, HandlesVeryLongChains) {
  constexpr std::size_t kLength = 200'000;
  SupportGraph graph(kLength);
  for (std::size_t i = 1; i < kLength; ++i) graph.add(i - 1, i);
  const Nodes targets = {kLength - 1};
  EXPECT_EQ(find_fatal_losses(graph, targets),
            std::vector<bool>(kLength, true));
}

}  // namespace
}  // namespace lamarck::evolution
