#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/graph/gradient_check.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/computed_value_fixture.h"

namespace lamarck {
namespace {

using Values = std::vector<float>;

TEST(GraphTopology, RunsFollowAddedAndRemovedEdges) {
  Graph graph;
  const Var a = graph.parameter({}, Init::constant(2), "a");
  const Var b = graph.parameter({}, Init::constant(5), "b");
  const std::vector<Var> parts = {a};
  const Var sum = total(parts);
  const Var loss = sum * 3.0f;
  EXPECT_EQ(computed(loss), Values{6});
  graph.add_edge(b, sum);
  EXPECT_EQ(computed(loss), Values{21});
  loss.backward();
  EXPECT_EQ(b.grad().item(), 3);
  graph.remove_edge(a, sum);
  EXPECT_EQ(computed(loss), Values{15});
  graph.zero_grad();
  loss.backward();
  EXPECT_FALSE(a.has_grad());
}

TEST(GraphTopology, ReplacesInput) {
  Graph graph;
  const Var x = graph.input(Tensor::from({2}, {1, 2}));
  const Var y = x.square();
  const Var z = y + 1.0f;
  graph.set_input(z, 0, y.exp() * 0.0f);
  EXPECT_EQ(computed(z), (Values{1, 1}));
}

TEST(GraphTopology, RejectsInvalidEditsWithoutChanges) {
  Graph graph;
  const Var x = graph.zeros({2});
  const Var y = x.square();
  const std::vector<Var> parts = {y};
  const Var sum = total(parts);
  const Var end = sum.relu();
  EXPECT_EQ(kind_of_failure([&] { graph.add_edge(end, sum); }), "cycle");
  EXPECT_EQ(kind_of_failure([&] { graph.add_edge(y, sum); }),
            "connection_exists");
  EXPECT_EQ(kind_of_failure([&] { graph.add_edge(x, end); }), "no_more_inputs");
  EXPECT_EQ(kind_of_failure([&] { graph.add_edge(graph.zeros({3}), sum); }),
            "shape_mismatch");
  EXPECT_EQ(kind_of_failure([&] { graph.remove_edge(x, sum); }),
            "edge_not_found");
  EXPECT_EQ(kind_of_failure([&] { graph.remove_edge(y, sum); }),
            "too_few_inputs");
  EXPECT_EQ(kind_of_failure([&] { graph.set_input(end, 1, x); }),
            "edge_not_found");
  EXPECT_EQ(kind_of_failure([&] { graph.remove(y); }), "in_use");
  EXPECT_EQ(kind_of_failure([&] { graph.add_edge(Graph().zeros({2}), sum); }),
            "graph_mismatch");
  EXPECT_EQ(kind_of_failure([&] { graph.node(999); }), "node_not_found");
  EXPECT_EQ(computed(end), (Values{0, 0})) << "the graph must not change";
}

TEST(GraphTopology, AllowsEditsBetweenBatchesOfDifferentSizes) {
  Graph graph;
  const Var x = graph.zeros({4, 2});
  const Var y = graph.zeros({4, 2});
  const std::vector<Var> parts = {x.relu()};
  const Var sum = total(parts);
  const Var loss = sum.mse(y);
  x.set_value(Tensor::ones({9, 2}));  // y still has four rows.
  sum.forward();
  EXPECT_NO_THROW(graph.add_edge(x, sum));
  EXPECT_EQ(computed(sum), Values(18, 2.0f));
  EXPECT_EQ(kind_of_failure([&] { graph.add_edge(y, sum); }), "shape_mismatch");
  y.set_value(Tensor::zeros({9, 2}));
  EXPECT_EQ(computed(loss), Values{4});
}

TEST(GraphTopology, RemovedNodeThrowsAndItsIdIsReused) {
  Graph graph;
  const Var x = graph.input_named(Tensor::scalar(3), "x");
  const std::size_t before = graph.node_count();
  {
    const Var y = x.square();
    EXPECT_EQ(computed(y), Values{9});
    graph.remove(y);
    EXPECT_EQ(kind_of_failure([&] { y.forward(); }), "node_not_found");
    EXPECT_EQ(kind_of_failure([&] { y.relu(); }), "node_not_found");
    EXPECT_EQ(graph.node_count(), before);
  }
  const Var z = x.exp();
  EXPECT_EQ(z.node_id(), 1u);
  EXPECT_NEAR(computed(z)[0], 20.0855f, 1e-3);
  graph.remove(z);
  graph.remove(x);
  EXPECT_EQ(kind_of_failure([&] { graph.named("x"); }), "not_found");
}

TEST(GraphTopology, ListsInputsAndConsumers) {
  Graph graph;
  const Var x = graph.zeros({2});
  const Var y = x * x;
  const Var z = y + x;
  EXPECT_EQ(graph.inputs_of(z).size(), 2u);
  EXPECT_EQ(graph.inputs_of(z)[0].node_id(), y.node_id());
  const auto consumers = graph.consumers_of(x);
  ASSERT_EQ(consumers.size(), 2u);
  EXPECT_EQ(consumers[0].operation(), "mul");
  EXPECT_EQ(graph.node_ids().size(), graph.node_count());
}

TEST(GraphTopology, NodeWithoutVarCanBeFoundAgain) {
  Graph graph;
  const Var x = graph.input(Tensor::scalar(3));
  const Var loss = (x.square() + 1.0f).exp();
  loss.forward();
  const Var lost = graph.inputs_of(loss)[0];
  EXPECT_EQ(kind_of_failure([&] { lost.value(); }), "value_not_computed");
  loss.forward();
  EXPECT_EQ(lost.item(), 10);
}

// Adds and removes terms of a sum at random and compares it with plain
// arithmetic.
TEST(GraphTopology, RandomEditsMatchReferenceModel) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    Graph graph(seed);
    std::vector<Var> leaves;
    std::vector<bool> is_joined;
    for (int i = 0; i < 6; ++i) {
      const std::string name = "p" + std::to_string(i);
      leaves.push_back(graph.parameter(
          {}, Init::constant(static_cast<float>(1 << i)), name));
      is_joined.push_back(i == 0);
    }
    const std::vector<Var> first = {leaves[0]};
    const Var sum = total(first);
    const Var loss = sum.square();
    for (int edit = 0; edit < 40; ++edit) {
      const auto at = static_cast<std::size_t>(rng.below(6));
      const auto joined = std::count(is_joined.begin(), is_joined.end(), true);
      if (!is_joined[at]) {
        graph.add_edge(leaves[at], sum);
        is_joined[at] = true;
      } else if (joined > 1) {
        graph.remove_edge(leaves[at], sum);
        is_joined[at] = false;
      }
      float expected = 0;
      for (std::size_t i = 0; i < 6; ++i) {
        if (is_joined[i]) expected += static_cast<float>(1 << i);
      }
      graph.zero_grad();
      loss.forward();
      EXPECT_EQ(loss.backward(), expected * expected) << "seed " << seed;
      for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(leaves[i].has_grad(), is_joined[i]) << "seed " << seed;
      }
    }
  }
}

TEST(GraphSnapshot, RestoresValuesAndTopology) {
  Graph graph(1);
  const Var w = graph.parameter({3}, Init::ones(), "w");
  const std::vector<Var> parts = {w};
  const Var sum = total(parts);
  const Var loss = sum.sum();
  const GraphSnapshot before = graph.snapshot();
  w.set_value(Tensor::from({3}, {5, 6, 7}));
  const Var added = graph.parameter({3}, Init::ones(), "v");
  graph.add_edge(added, sum);
  EXPECT_EQ(computed(loss), Values{21});
  graph.restore(before);
  EXPECT_EQ(computed(loss), Values{3});
  EXPECT_EQ(w.value().to_vector(), Values(3, 1.0f));
  EXPECT_EQ(kind_of_failure([&] { added.value(); }), "node_not_found");
  EXPECT_NO_THROW(graph.parameter({3}, Init::ones(), "v"));
  graph.restore(before);
  EXPECT_EQ(computed(loss), Values{3});
}

TEST(GraphSnapshot, RestoreDoesNotRecompile) {
  Graph graph(1);
  const Var w = graph.parameter({3}, Init::ones(), "w");
  const Var loss = w.square().sum();
  loss.backward();
  const GraphSnapshot before = graph.snapshot();
  for (int i = 0; i < 50; ++i) {
    w.elements()[0] += 1;
    loss.forward();
    graph.restore(before);
    loss.forward();
    EXPECT_EQ(loss.item(), 3);
  }
  EXPECT_EQ(graph.plan_count(), 1u);
}

TEST(GraphSnapshot, RepeatedEditAndRestoreDoesNotGrowTheGraph) {
  Graph graph(1);
  const Var w = graph.parameter({3}, Init::ones(), "w");
  const std::vector<Var> parts = {w};
  const Var sum = total(parts);
  const Var loss = sum.sum();
  const GraphSnapshot before = graph.snapshot();
  for (int i = 0; i < 200; ++i) {
    graph.add_edge(graph.parameter({3}, Init::ones(), "v"), sum);
    EXPECT_EQ(loss.backward(), 6);
    graph.restore(before);
  }
  EXPECT_LE(graph.parameter({}, Init::ones(), "v").node_id(), 4u);
}

TEST(GraphSnapshot, CloneIsIndependent) {
  Graph graph(4);
  const Var w = graph.parameter({2}, Init::ones(), "w");
  const Var loss = w.square().sum();
  const Graph clone = graph.clone();
  w.elements()[0] = 9;
  EXPECT_EQ(clone.named("w").value().to_vector(), (Values{1, 1}));
  clone.named("w").elements()[1] = 7;
  EXPECT_EQ(w.value().to_vector(), (Values{9, 1}));
  EXPECT_EQ(clone.node(loss.node_id()).backward(), 50);
  EXPECT_EQ(loss.backward(), 82);
}

TEST(GraphSnapshot, OlderAndNewerSnapshotsCanAlternate) {
  Graph graph(1);
  const Var x = graph.input(Tensor::from({2}, {1, 2}));
  const GraphSnapshot before = graph.snapshot();
  { x.exp().set_name("y"); }
  const GraphSnapshot after = graph.snapshot();
  graph.restore(before);
  const Var z = x.square();
  EXPECT_EQ(computed(z), (Values{1, 4}));
  graph.restore(after);
  const Var y = graph.named("y");
  EXPECT_NEAR(computed(y)[1], 7.389f, 1e-3);
  EXPECT_EQ(kind_of_failure([&] { z.forward(); }), "node_not_found");
  graph.restore(before);
  EXPECT_EQ(kind_of_failure([&] { y.forward(); }), "node_not_found");
  graph.restore(after);
  EXPECT_NEAR(computed(graph.named("y"))[1], 7.389f, 1e-3);
}

TEST(GraphSnapshot, RejectsSnapshotOfAnotherGraph) {
  GraphSnapshot snapshot;
  {
    Graph graph(1);
    graph.zeros({2});
    snapshot = graph.snapshot();
  }
  for (int i = 0; i < 10; ++i) {
    EXPECT_THROW(Graph(2).restore(snapshot), LogicError);
  }
}

TEST(GraphSnapshot, VarCreatedAfterSnapshotSurvivesRestore) {
  Graph graph(1);
  const Var x = graph.input(Tensor::scalar(3));
  const Var y = x.square().exp();
  y.forward();
  const GraphSnapshot before = graph.snapshot();
  const Var inner = graph.inputs_of(y)[0];
  graph.restore(before);
  y.forward();
  EXPECT_EQ(inner.item(), 9);
}

}  // namespace
}  // namespace lamarck
