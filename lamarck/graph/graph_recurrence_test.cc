#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/computed_value_fixture.h"

namespace lamarck {
namespace {

TEST(Recurrence, MemoryHoldsValueOfPreviousStep) {
  Graph graph;
  const Var x = graph.zeros({1, 1});
  const Var memory = graph.memory(Tensor::zeros({1, 1}));
  const Var sum = memory * 0.5f + x;
  graph.add_recurrent_edge(sum, memory);
  const std::vector<float> inputs = {1, 0, 4};
  std::vector<float> outputs;
  for (const float input : inputs) {
    x.set_value(Tensor::full({1, 1}, input));
    graph.step(sum);
    outputs.push_back(sum.item());
  }
  EXPECT_EQ(outputs, (std::vector<float>{1, 0.5f, 4.25f}));
  EXPECT_EQ(memory.item(), 4.25f);
  graph.reset_state();
  EXPECT_EQ(memory.item(), 0);
}

TEST(Recurrence, OneMemoryMayFollowAnother) {
  Graph graph;
  const Var x = graph.zeros({1, 1});
  const Var one = graph.memory(Tensor::zeros({1, 1}));
  const Var two = graph.memory(Tensor::zeros({1, 1}));
  graph.add_recurrent_edge(x, one);
  graph.add_recurrent_edge(one, two);
  const Var y = two * 10.0f + one;
  std::vector<float> outputs;
  for (const float input : {1.0f, 2.0f, 3.0f, 4.0f}) {
    x.set_value(Tensor::full({1, 1}, input));
    graph.step(y);
    outputs.push_back(y.item());
  }
  EXPECT_EQ(outputs, (std::vector<float>{0, 1, 12, 23}));
}

TEST(Recurrence, WrongUseThrowsErrorOfMatchingKind) {
  Graph graph;
  const Var x = graph.zeros({2, 3});
  const Var memory = graph.memory(Tensor::zeros({1, 4}));
  const Var right = graph.memory(Tensor::zeros({1, 3}));
  const Var y = x + right;
  const Var loss = y.mean();
  EXPECT_EQ(kind_of_failure([&] { graph.add_recurrent_edge(x, y); }),
            "not_a_memory");
  EXPECT_EQ(kind_of_failure([&] { graph.add_recurrent_edge(x, memory); }),
            "shape_mismatch");
  EXPECT_EQ(kind_of_failure([&] { graph.remove_recurrent_edge(right); }),
            "edge_not_found");
  graph.add_recurrent_edge(y, right);
  EXPECT_EQ(kind_of_failure([&] { graph.add_recurrent_edge(y, right); }),
            "connection_exists");
  EXPECT_EQ(kind_of_failure([&] { graph.remove(y); }), "in_use");
  EXPECT_EQ(kind_of_failure([&] { loss.backward_through_time(); }), "no_steps");
  EXPECT_EQ(kind_of_failure([&] {
              graph.step(loss, {.active = {1, 0, 1}});
            }),
            "invalid_value");
  graph.step(loss);
  EXPECT_EQ(kind_of_failure([&] { y.backward_through_time(); }),
            "target_mismatch");
  const Var w = graph.parameter({}, Init::ones(), "w");
  w.set_value(Tensor::scalar(2));
  EXPECT_EQ(kind_of_failure([&] { loss.backward_through_time(); }),
            "parameters_changed");
}

TEST(Recurrence, RecordsNothingInsideNoGrad) {
  Graph graph;
  const Var memory = graph.memory(Tensor::zeros({1}));
  const Var y = memory + 1.0f;
  graph.add_recurrent_edge(y, memory);
  graph.no_grad([&] { graph.step(y); });
  EXPECT_EQ(graph.recorded_steps(), 0u);
  graph.step(y);
  EXPECT_EQ(graph.recorded_steps(), 1u);
  EXPECT_EQ(y.item(), 2);
}

// A random recurrent network over [batch, 3], with two memories.
struct RandomNetwork {
  RandomNetwork(std::uint64_t seed, std::int64_t batch) : graph(seed) {
    Rng rng(seed);
    x = {graph.zeros({batch, 3})};
    y = {graph.zeros({batch, 3})};
    const Var m = graph.memory(Tensor::zeros({1, 3}), "m");
    const Var n = graph.memory(Tensor::full({1, 3}, 0.1f), "n");
    std::vector<Var> pool = {x[0], m, n};
    for (int i = 0; i < static_cast<int>(rng.integer(3, 8)); ++i) {
      const Var a = pool[static_cast<std::size_t>(rng.below(pool.size()))];
      const Var b = pool[static_cast<std::size_t>(rng.below(pool.size()))];
      const Var w = graph.parameter({3, 3}, Init::uniform(-0.7f, 0.7f),
                                    "w" + std::to_string(i));
      switch (rng.below(4)) {
        case 0:
          pool.push_back((a.matmul(w) + b).tanh());
          break;
        case 1:
          pool.push_back(a.matmul(w).sigmoid() * b);
          break;
        case 2:
          pool.push_back((a + b.matmul(w)).softmax());
          break;
        default:
          pool.push_back((a - b).matmul(w));
          break;
      }
    }
    const Var last = pool.back() + x[0] * 0.0f;
    graph.add_recurrent_edge(last, m);
    // In some networks one memory follows the other.
    graph.add_recurrent_edge(
        rng.chance(0.3) ? m + x[0] * 0.0f : last.tanh() * 0.9f, n);
    loss = {(last - y[0]).square().mean()};
  }

  // Runs the sequences and returns the sum of the losses.
  float run(const std::vector<Tensor>& inputs,
            const std::vector<Tensor>& targets) {
    graph.reset_state();
    float total = 0;
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      x[0].set_value(inputs[t]);
      y[0].set_value(targets[t]);
      graph.step(loss[0]);
      total += loss[0].item();
    }
    return total;
  }

  Graph graph;
  std::vector<Var> x, y, loss;  // One each.
};

TEST(Recurrence, GradientsThroughTimeMatchCentralDifferences) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    RandomNetwork network(seed, 2);
    Rng rng(seed + 100);
    std::vector<Tensor> inputs;
    std::vector<Tensor> targets;
    for (int t = 0; t < 5; ++t) {
      inputs.push_back(Tensor::randn({2, 3}, rng));
      targets.push_back(Tensor::randn({2, 3}, rng));
    }
    const float total = network.run(inputs, targets);
    network.graph.zero_grad();
    EXPECT_NEAR(network.loss[0].backward_through_time(), total, 1e-4);
    EXPECT_EQ(network.graph.recorded_steps(), 0u);
    for (const Var& w : network.graph.parameters()) {
      if (!w.has_grad()) continue;
      const Tensor gradient = w.grad();
      const Tensor value = w.value();
      for (std::size_t i = 0; i < value.data().size(); ++i) {
        const auto moved = [&](float change) {
          Tensor other = value.clone();
          other.data()[i] += change;
          w.set_value(other);
          return network.run(inputs, targets);
        };
        const float measured = (moved(5e-3f) - moved(-5e-3f)) / 1e-2f;
        EXPECT_NEAR(gradient.data()[i], measured,
                    1e-2f * (1 + std::abs(measured)))
            << w.name() << ", element " << i << ", seed " << seed;
      }
      w.set_value(value);
    }
  }
}

TEST(Recurrence, StepsEqualUnrolledExpression) {
  Graph graph(3);
  Rng rng(3);
  const Var w = graph.parameter({2, 2}, Init::uniform(-1, 1), "w");
  const Var u = graph.parameter({2, 2}, Init::uniform(-1, 1), "u");
  std::vector<Tensor> inputs;
  for (int t = 0; t < 6; ++t) inputs.push_back(Tensor::randn({3, 2}, rng));

  std::vector<Var> losses;
  std::vector<Var> hidden = {graph.zeros({3, 2})};
  for (const Tensor& input : inputs) {
    hidden.push_back(
        (graph.input(input).matmul(w) + hidden.back().matmul(u)).tanh());
    losses.push_back(hidden.back().square().mean());
  }
  total(losses).backward();
  const Tensor expected_w = w.grad();
  const Tensor expected_u = u.grad();
  graph.zero_grad();

  const Var x = graph.zeros({3, 2});
  const Var memory = graph.memory(Tensor::zeros({1, 2}));
  const Var h = (x.matmul(w) + memory.matmul(u)).tanh();
  graph.add_recurrent_edge(h, memory);
  const Var loss = h.square().mean();
  for (const Tensor& input : inputs) {
    x.set_value(input);
    graph.step(loss);
  }
  loss.backward_through_time();
  EXPECT_LT(max_difference(w.grad(), expected_w), 1e-6);
  EXPECT_LT(max_difference(u.grad(), expected_u), 1e-6);

  // Truncated: the state before the last three steps counts as a constant.
  graph.zero_grad();
  graph.reset_state();
  for (const Tensor& input : inputs) {
    x.set_value(input);
    graph.step(loss);
  }
  loss.backward_through_time({.steps = 3});
  graph.node(hidden[3].node_id()).detach();
  const std::vector<Var> last = {losses[3], losses[4], losses[5]};
  const Tensor truncated_w = w.grad();
  const Tensor truncated_u = u.grad();
  graph.zero_grad();
  total(last).backward();
  EXPECT_LT(max_difference(w.grad(), truncated_w), 1e-6);
  EXPECT_LT(max_difference(u.grad(), truncated_u), 1e-6);
}

// The mask holds the state of sequences that have ended, so a ragged batch
// gives the same results as its sequences one by one.
TEST(Recurrence, RaggedBatchEqualsItsSequencesOneByOne) {
  Graph graph(5);
  Rng rng(5);
  const std::vector<std::size_t> lengths = {4, 2, 3};
  const Var w = graph.parameter({2, 2}, Init::uniform(-1, 1), "w");
  const Var u = graph.parameter({2, 2}, Init::uniform(-1, 1), "u");
  const Var x = graph.zeros({3, 2});
  const Var mask = graph.ones({3, 1});
  const Var memory = graph.memory(Tensor::zeros({1, 2}));
  const Var h = (x.matmul(w) + memory.matmul(u)).tanh();
  graph.add_recurrent_edge(h, memory);
  const Var loss = (h.square() * mask).sum();
  std::vector<std::vector<Tensor>> sequences(3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t t = 0; t < lengths[i]; ++t) {
      sequences[i].push_back(Tensor::randn({1, 2}, rng));
    }
  }

  mask.set_value(Tensor::ones({1, 1}));
  std::vector<float> ends;
  for (const auto& sequence : sequences) {
    graph.reset_state();
    for (const Tensor& input : sequence) {
      x.set_value(input);
      graph.step(loss);
    }
    ends.push_back(memory.value().at({0, 0}));
    loss.backward_through_time();
  }
  const Tensor expected_w = w.grad();
  const Tensor expected_u = u.grad();

  graph.zero_grad();
  graph.reset_state();
  for (std::size_t t = 0; t < 4; ++t) {
    Tensor inputs = Tensor::full({3, 2}, 77);  // Ignored after the end.
    Tensor weights = Tensor::zeros({3, 1});
    std::vector<float> active(3, 0.0f);
    for (std::size_t i = 0; i < 3; ++i) {
      if (t >= lengths[i]) continue;
      const auto row = static_cast<std::int64_t>(i);
      active[i] = 1;
      weights.at({row, 0}) = 1;
      inputs.slice(0, row, row + 1).assign(sequences[i][t]);
    }
    x.set_value(inputs);
    mask.set_value(weights);
    graph.step(loss, {.active = active});
  }
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_FLOAT_EQ(memory.value().at({i, 0}),
                    ends[static_cast<std::size_t>(i)]);
  }
  loss.backward_through_time();
  EXPECT_LT(max_difference(w.grad(), expected_w), 1e-5);
  EXPECT_LT(max_difference(u.grad(), expected_u), 1e-5);
}

TEST(Recurrence, ResetRowPassesNoGradientBack) {
  Graph graph(6);
  const Var w = graph.parameter({}, Init::constant(2), "w");
  const Var x = graph.zeros({2, 1});
  const Var memory = graph.memory(Tensor::zeros({1, 1}));
  const Var h = memory * w + x;
  graph.add_recurrent_edge(h, memory);
  const Var loss = h.sum();
  x.set_value(Tensor::full({2, 1}, 3));
  graph.step(loss);
  const std::vector<std::int64_t> rows = {1};
  graph.reset_state(rows);
  EXPECT_EQ(memory.value().to_vector(), (std::vector<float>{3, 0}));
  graph.step(loss);
  loss.backward_through_time();
  // Row 0: 3 + (3 w + 3); row 1: 3 + 3.
  EXPECT_EQ(w.grad().item(), 3);
}

TEST(Recurrence, CountsOnlyLastLossOnRequest) {
  Graph graph(6);
  const Var w = graph.parameter({}, Init::constant(2), "w");
  const Var memory = graph.memory(Tensor::ones({1}));
  const Var h = memory * w;
  graph.add_recurrent_edge(h, memory);
  const Var loss = h.sum();
  for (int t = 0; t < 3; ++t) graph.step(loss);
  EXPECT_EQ(loss.backward_through_time({.last_loss_only = true}), 8);
  EXPECT_EQ(w.grad().item(), 12);  // The slope of w^3 at 2.
}

TEST(Recurrence, MemorySetByHandPassesNoGradientBack) {
  Graph graph;
  const Var p = graph.parameter({1}, Init::constant(0.5f), "p");
  const Var memory = graph.memory(Tensor::zeros({1}));
  const Var now = p * 1.0f + memory;
  graph.add_recurrent_edge(now, memory);
  const Var loss = now.sum();
  graph.step(loss);
  memory.set_value(Tensor::zeros({1}));
  graph.step(loss);
  loss.backward_through_time();
  EXPECT_EQ(p.grad().item(), 2);
}

TEST(Recurrence, ReportsTopologyChangeAfterSteps) {
  Graph graph;
  const Var x = graph.ones({4, 3});
  const Var memory = graph.memory(Tensor::zeros({1, 3}));
  const Var w = graph.parameter({3}, Init::ones(), "w");
  const Var now = ((x + memory) * w).tanh();
  graph.add_recurrent_edge(now, memory);
  const Var loss = now.sum();
  graph.step(loss);
  graph.remove_recurrent_edge(memory);
  EXPECT_EQ(kind_of_failure([&] { loss.backward_through_time(); }),
            "topology_changed");
}

TEST(Recurrence, HeldRowsMustMatchSourceOfMemory) {
  Graph graph;
  const Var x = graph.zeros({4, 3});
  const Var memory = graph.memory(Tensor::zeros({1, 3}));
  const Var now = x + memory;
  graph.add_recurrent_edge(now, memory);
  memory.set_value(Tensor::zeros({1, 1}));
  EXPECT_EQ(kind_of_failure([&] {
              graph.step(now, {.active = {0, 0, 0, 0}});
            }),
            "shape_mismatch");
}

TEST(Recurrence, SourceOfMemoryMayReadTheLoss) {
  Graph graph;
  const Var w = graph.parameter({1}, Init::ones(), "w");
  const Var x = graph.input(Tensor::full({1}, 3));
  const Var memory = graph.memory(Tensor::zeros({1}));
  const Var loss = (w * x + memory * 0.0f).sum();
  graph.add_recurrent_edge(memory * 0.9f + loss.reshape({1}) * 0.1f, memory);
  graph.step(loss);
  loss.backward_through_time();
  EXPECT_EQ(w.grad().item(), 3);
}

TEST(Recurrence, UnrecordedStepStopsTheGradient) {
  Graph graph;
  const Var p = graph.parameter({1}, Init::constant(0.5f), "p");
  const Var memory = graph.memory(Tensor::zeros({2, 1}));
  const Var now = p * 1.0f + memory;
  graph.add_recurrent_edge(now, memory);
  const Var loss = now.sum();
  graph.step(loss);
  graph.no_grad([&] { graph.step(loss); });
  graph.step(loss);
  loss.backward_through_time();
  EXPECT_EQ(p.grad().item(), 4);
}

TEST(Recurrence, MemoryCanBeDetachedAndAttachedBetweenSteps) {
  Graph graph;
  const Var w = graph.parameter({64}, Init::ones(), "w");
  const Var x = graph.input(Tensor::full({2, 64}, 0.3f));
  const Var memory = graph.memory(Tensor::zeros({1, 64}));
  const Var now = (x * w + memory).tanh();
  graph.add_recurrent_edge(now, memory);
  const Var loss = now.sum();
  memory.detach();
  graph.step(loss, {.active = {0, 1}});
  memory.attach();
  graph.step(loss, {.active = {0, 0}});
  graph.step(loss);
  EXPECT_NO_THROW(loss.backward_through_time());
  EXPECT_TRUE(std::isfinite(w.grad().at({0})));
}

TEST(Recurrence, ResettingRowMissingFromInitialValueThrows) {
  Graph graph;
  const Var x = graph.input(Tensor::full({6, 3}, 3));
  const Var memory = graph.memory(Tensor::zeros({2, 3}));
  const Var now = x.tanh();
  graph.add_recurrent_edge(now, memory);
  graph.step(now.sum() + memory.mean());
  const std::vector<std::int64_t> rows = {5};
  EXPECT_THROW(graph.reset_state(rows), LogicError);
  const Var w = graph.parameter({1}, Init::ones(), "w");
  const Var other = graph.memory(Tensor::zeros({1}));
  EXPECT_EQ(kind_of_failure([&] { graph.add_recurrent_edge(w, other); }),
            "not_computed");
}

}  // namespace
}  // namespace lamarck
