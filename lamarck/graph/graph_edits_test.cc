// Applies random edits to a graph, and the same edits to a copy that recomputes
// all shapes and the whole order each time.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/graph_json.h"
#include "lamarck/graph/internal/graph_state.h"

namespace lamarck {
namespace {

using Edit = std::function<void(const Graph&)>;

// Returns the error message; empty if the edit succeeds.
std::string failure_of(const Edit& edit, const Graph& graph) {
  try {
    edit(graph);
  } catch (const LogicError& caught) {
    return caught.error().message();
  }
  return "";
}

// Returns a copy whose next edit recomputes all nodes.
Graph make_plain_copy(const Graph& graph) {
  Graph copy = graph.clone();
  GraphAccess::state(copy).has_current_shapes = false;
  return copy;
}

void expect_same(const Graph& graph, const Graph& plain) {
  const GraphState& ours = GraphAccess::state(graph);
  const GraphState& theirs = GraphAccess::state(plain);
  ASSERT_EQ(ours.nodes.size(), theirs.nodes.size());
  for (NodeId id = 0; id < ours.nodes.size(); ++id) {
    ASSERT_EQ(ours.nodes[id].inputs, theirs.nodes[id].inputs) << "node " << id;
    if (ours.nodes[id].is_removed) continue;
    ASSERT_EQ(ours.nodes[id].shape, theirs.nodes[id].shape) << "node " << id;
  }
}

void expect_current_shapes(const Graph& graph) {
  const GraphState& state = GraphAccess::state(graph);
  if (!state.has_current_shapes) return;
  const auto shapes = state.inferred_shapes();
  for (NodeId id = 0; id < shapes.size(); ++id) {
    if (state.nodes[id].is_removed) continue;
    ASSERT_TRUE(shapes[id].has_value()) << "node " << id;
    ASSERT_EQ(state.nodes[id].shape, *shapes[id]) << "node " << id;
  }
}

class EditedGraph {
 public:
  explicit EditedGraph(std::uint64_t seed) : rng_(seed), graph_(seed) {
    for (int i = 0; i < 3; ++i) grow();
  }

  void change() {
    const std::uint64_t drawn = rng_.below(20);
    if (drawn < 5 || graph_.node_count() == 0) {
      grow();
    } else if (drawn < 17) {
      compare(draw_edit());
    } else {
      disturb();
    }
    expect_current_shapes(graph_);
  }

 private:
  NodeId draw() {
    const std::vector<NodeId> ids = graph_.node_ids();
    return rng_.choice(ids);
  }

  // There are only two shapes, so that they often fit.
  Tensor draw_value() {
    return Tensor::zeros({1 + static_cast<std::int64_t>(rng_.below(2)), 2});
  }

  void grow() {
    const std::uint64_t kind = rng_.below(6);
    if (kind == 0 || graph_.node_count() == 0) {
      graph_.input(draw_value());
      return;
    }
    const std::vector<Var> parts = {graph_.node(draw())};
    if (kind < 3) {
      total(parts);
    } else if (kind < 5) {
      concat(parts, 0);
    } else {
      parts[0].tanh();
    }
  }

  Edit draw_edit() {
    const NodeId from = draw();
    const NodeId to = draw();
    const std::uint64_t kind = rng_.below(8);
    return [=](const Graph& graph) {
      if (kind < 5) {
        graph.add_edge(graph.node(from), graph.node(to));
      } else if (kind < 6) {
        graph.set_input(graph.node(to), 0, graph.node(from));
      } else if (kind < 7) {
        const std::vector<Var> inputs = graph.inputs_of(graph.node(to));
        if (!inputs.empty()) graph.remove_edge(inputs[0], graph.node(to));
      } else {
        graph.remove(graph.node(to));
      }
    };
  }

  void compare(const Edit& edit) {
    const Graph plain = make_plain_copy(graph_);
    const std::string expected = failure_of(edit, plain);
    ASSERT_EQ(failure_of(edit, graph_), expected);
    // A removal changes no shape; every other edit updates all shapes.
    expect_same(graph_, plain);
  }

  void disturb() {
    const Var node = graph_.node(draw());
    const std::uint64_t kind = rng_.below(4);
    if (kind == 0 && node.operation().empty()) {
      node.set_value(draw_value());
    } else if (kind == 1) {
      static_cast<void>(
          failure_of([&](const Graph&) { node.forward(); }, graph_));
    } else if (kind == 2) {
      kept_ = graph_.snapshot();
      has_kept_ = true;
    } else if (has_kept_) {
      graph_.restore(kept_);
    }
  }

  Rng rng_;
  Graph graph_;
  GraphSnapshot kept_;
  bool has_kept_ = false;
};

TEST(GraphEdits, MatchShapesAndErrorsOfFullRecomputation) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EditedGraph edited(seed);
    for (int i = 0; i < 100; ++i) {
      ASSERT_NO_FATAL_FAILURE(edited.change());
    }
  }
}

TEST(GraphEdits, FollowShapeChangeOfMemory) {
  Graph graph;
  const Var x = graph.input(Tensor::zeros({3, 2}));
  const Var memory = graph.memory(Tensor::zeros({1, 2}));
  const Var sum = total(std::vector<Var>{memory});
  const Var next = x + memory;
  graph.add_recurrent_edge(next, memory);
  const Var loss = (next + sum).sum();
  graph.step(loss);
  EXPECT_EQ(memory.shape(), (Shape{3, 2}));

  graph.add_edge(x, sum);
  EXPECT_EQ(sum.shape(), (Shape{3, 2}));

  graph.reset_state();
  graph.remove_edge(x, sum);
  EXPECT_EQ(sum.shape(), (Shape{1, 2}));
}

}  // namespace
}  // namespace lamarck
