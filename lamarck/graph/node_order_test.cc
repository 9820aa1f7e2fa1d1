#include "lamarck/graph/internal/node_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lamarck/base/rng.h"
#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {
namespace {

std::vector<Node> make_nodes(std::size_t count) {
  return std::vector<Node>(count);
}

bool depends_on(const std::vector<Node>& nodes, NodeId node, NodeId on) {
  return node == on ||
         std::ranges::any_of(nodes[node].inputs, [&](NodeId input) {
           return depends_on(nodes, input, on);
         });
}

void expect_in_order(const std::vector<Node>& nodes, const NodeOrder& order,
                     std::uint64_t seed) {
  std::size_t edges = 0;
  std::size_t readers = 0;
  for (NodeId id = 0; id < nodes.size(); ++id) {
    edges += nodes[id].inputs.size();
    readers += order.readers(id).size();
    for (const NodeId input : nodes[id].inputs) {
      ASSERT_LT(order.rank(input), order.rank(id)) << "seed " << seed;
      ASSERT_EQ(std::ranges::count(order.readers(input), id),
                std::ranges::count(nodes[id].inputs, input))
          << "seed " << seed;
    }
  }
  ASSERT_EQ(edges, readers) << "seed " << seed;
}

void set_inputs(std::vector<Node>& nodes, NodeOrder& order, NodeId id,
                const std::vector<NodeId>& inputs) {
  order.replace_inputs(id, nodes[id].inputs, inputs);
  nodes[id].inputs = inputs;
}

TEST(NodeOrder, AdmitsExactlyEdgesThatCloseNoCycle) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    std::vector<Node> nodes = make_nodes(2 + rng.below(11));
    NodeOrder order(nodes, {});
    for (int i = 0; i < 60; ++i) {
      const NodeId from = rng.below(nodes.size());
      const NodeId to = rng.below(nodes.size());
      std::vector<NodeId> inputs = nodes[to].inputs;
      if (!inputs.empty() && rng.below(4) == 0) {
        inputs.erase(inputs.begin() +
                     static_cast<std::ptrdiff_t>(rng.below(inputs.size())));
      } else {
        const bool closes_cycle = depends_on(nodes, from, to);
        ASSERT_EQ(order.admit(from, to), !closes_cycle) << "seed " << seed;
        if (closes_cycle) continue;
        inputs.push_back(from);
      }
      set_inputs(nodes, order, to, inputs);
      ASSERT_NO_FATAL_FAILURE(expect_in_order(nodes, order, seed));
    }
  }
}

// Inserts each new node between the previous one and the end, or the other way
// round, until the integers between two ranks run out.
TEST(NodeOrder, StaysSortedWhenRanksRunOut) {
  for (const bool is_at_end : {false, true}) {
    std::vector<Node> nodes = make_nodes(2);
    nodes[1].inputs = {0};
    NodeOrder order(nodes, std::vector<NodeId>{0, 1});
    NodeId low = 0;
    NodeId high = 1;
    for (int i = 0; i < 200; ++i) {
      const NodeId id = nodes.size();
      nodes.emplace_back();
      nodes[id].inputs = {low};
      order.add_node(id);
      ASSERT_TRUE(order.admit(id, high));
      set_inputs(nodes, order, high, {id});
      ASSERT_NO_FATAL_FAILURE(expect_in_order(nodes, order, 0));
      (is_at_end ? low : high) = id;
    }
  }
}

TEST(NodeOrder, FindsCycleInLongChain) {
  constexpr NodeId kLength = 100'000;
  std::vector<Node> nodes = make_nodes(kLength);
  std::vector<NodeId> all = {0};
  for (NodeId id = 1; id < kLength; ++id) {
    nodes[id].inputs = {id - 1};
    all.push_back(id);
  }
  NodeOrder order(nodes, all);
  EXPECT_FALSE(order.admit(kLength - 1, 0));
  EXPECT_TRUE(order.admit(0, kLength - 1));
}

}  // namespace
}  // namespace lamarck
