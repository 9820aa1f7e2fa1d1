#include "lamarck/graph/graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/base/log.h"
#include "lamarck/graph/gradient_check.h"
#include "lamarck/graph/internal/computed_value_fixture.h"

namespace lamarck {
namespace {

using Values = std::vector<float>;

TEST(Graph, ComputesOnlyOnForward) {
  Graph graph;
  const Var x = graph.input(Tensor::from({2}, {1, 2}));
  const Var y = 2.0f * x + 1.0f;
  EXPECT_EQ(kind_of_failure([&] { y.value(); }), "value_not_computed");
  EXPECT_EQ(computed(y), (Values{3, 5}));
}

TEST(Graph, BroadcastsAndAcceptsScalarsOnEitherSide) {
  Graph graph;
  const Var x = graph.input(Tensor::rows({{1, 2}, {4, 8}}));
  EXPECT_EQ(computed(x - 1.0f), (Values{0, 1, 3, 7}));
  EXPECT_EQ(computed(1.0f - x), (Values{0, -1, -3, -7}));
  EXPECT_EQ(computed(8.0f / x), (Values{8, 4, 2, 1}));
  EXPECT_EQ(computed(-x), (Values{-1, -2, -4, -8}));
  EXPECT_EQ(computed(x * x.slice(0, 0, 1)), (Values{1, 4, 4, 16}));
  EXPECT_EQ(computed(x > 2.0f), (Values{0, 0, 1, 1}));
  EXPECT_EQ(computed(x <= x.transpose()), (Values{1, 1, 0, 1}));
}

TEST(Graph, RerunsWithNewInputsWithoutGrowing) {
  Graph graph(1);
  const Var x = graph.zeros({4, 3});
  const Var w = graph.parameter({3, 2}, Init::xavier(), "w");
  const Var loss = x.matmul(w).square().mean();
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    x.set_value(Tensor::randn({4, 3}, rng));
    graph.zero_grad();
    loss.backward();
  }
  EXPECT_EQ(graph.plan_count(), 1u);
  EXPECT_EQ(graph.node_count(), 5u);
}

TEST(Graph, HandlesSmallerLastBatch) {
  Graph graph(1);
  const Var x = graph.zeros({4, 3});
  const Var w = graph.parameter({3, 2}, Init::ones(), "w");
  const Var h = x.reshape({-1, 3}).matmul(w).flatten();
  const Var loss = h.mean();
  for (int round = 0; round < 3; ++round) {
    for (const std::int64_t batch : {4, 4, 2}) {
      x.set_value(Tensor::full({batch, 3}, 2));
      graph.zero_grad();
      EXPECT_FLOAT_EQ(loss.backward(), 6);
      EXPECT_EQ(h.value().shape(), Shape({batch, 2}));
      EXPECT_EQ(w.grad().to_vector(), Values(6, 1.0f));
    }
  }
  EXPECT_EQ(graph.plan_count(), 2u) << "plans are kept for both shapes";
}

TEST(Graph, AccumulatesGradientsUntilCleared) {
  Graph graph;
  const Var w = graph.parameter({}, Init::constant(3), "w");
  const Var loss = w * w;
  EXPECT_EQ(kind_of_failure([&] { w.grad(); }), "gradient_not_computed");
  loss.backward();
  EXPECT_EQ(w.grad().item(), 6);
  loss.forward();
  loss.backward(true);
  EXPECT_EQ(w.grad().item(), 12);
  w.zero_grad();
  loss.backward();
  EXPECT_EQ(w.grad().item(), 6);
}

TEST(Graph, SecondBackwardNeedsRetainGraph) {
  Graph graph;
  const Var w = graph.parameter({}, Init::constant(3), "w");
  const Var loss = w * w;
  loss.backward();
  EXPECT_EQ(kind_of_failure([&] { loss.backward(); }), "graph_consumed");
  loss.forward();
  EXPECT_NO_THROW(loss.backward());
}

TEST(Graph, TwoLossesCanShareParameter) {
  Graph graph;
  const Var w = graph.parameter({}, Init::constant(2), "w");
  const Var shared = w * 3.0f;
  const Var first = shared.square();
  const Var second = shared * 5.0f;
  first.backward(true);
  second.backward();
  EXPECT_EQ(w.grad().item(), 2 * 6 * 3 + 15);
}

TEST(Graph, DetachStopsGradientAndAttachRestoresIt) {
  Graph graph;
  const Var w = graph.parameter({}, Init::constant(2), "w");
  const Var v = graph.parameter({}, Init::constant(5), "v");
  const Var inner = w * 3.0f;
  const Var loss = inner * v;
  inner.detach();
  loss.backward();
  EXPECT_FALSE(w.has_grad());
  EXPECT_EQ(v.grad().item(), 6);
  inner.attach();
  v.zero_grad();
  loss.forward();
  loss.backward();
  EXPECT_EQ(w.grad().item(), 15);
}

TEST(Graph, NoGradForbidsBackwardWithinItsScope) {
  Graph graph;
  const Var w = graph.parameter({}, Init::constant(2), "w");
  const Var loss = w * w;
  graph.no_grad([&] {
    EXPECT_EQ(computed(loss), Values{4});
    EXPECT_EQ(kind_of_failure([&] { loss.backward(); }), "no_grad");
  });
  EXPECT_NO_THROW(loss.backward());
}

TEST(Graph, OperationMayReadManyNodesRepeatedly) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    Graph graph(seed);
    std::vector<Var> leaves;
    std::vector<Var> nodes;
    for (int i = 0; i < 6; ++i) {
      leaves.push_back(
          graph.parameter({2}, Init::normal(0, 1), "p" + std::to_string(i)));
      nodes.push_back(i % 2 == 0 ? leaves.back() : leaves.back() * 2.0f);
    }
    std::vector<float> expected(6, 0);
    std::vector<Var> parts;
    for (int i = 0; i < 12; ++i) {
      const std::size_t drawn = rng.below(6);
      parts.push_back(nodes[drawn]);
      expected[drawn] += drawn % 2 == 0 ? 1.0f : 2.0f;
    }
    const Var loss = total(parts).sum();

    loss.forward();
    loss.backward();

    for (std::size_t i = 0; i < 6; ++i) {
      if (expected[i] == 0) continue;
      EXPECT_EQ(leaves[i].grad().to_vector(),
                (std::vector<float>{expected[i], expected[i]}))
          << "seed " << seed << ", leaf " << i;
    }
  }
}

TEST(Graph, OperationMayReadOneNodeTwice) {
  Graph graph;
  const Var x = graph.parameter({1, 1, 1, 1}, Init::constant(3), "x");
  const Var loss = x.conv2d(x).sum();
  loss.backward();
  EXPECT_EQ(x.grad().item(), 6);
  loss.forward();
  loss.backward();
  EXPECT_EQ(x.grad().item(), 12) << "adds to the existing gradient";
  const Var h = x * 2.0f;
  const Var inner = h.conv2d(h).sum();
  x.zero_grad();
  inner.backward();
  EXPECT_EQ(x.grad().item(), 24);
  const Var m = graph.parameter({2, 2}, Init::ones(), "m");
  m.matmul(m).sum().backward();
  EXPECT_EQ(m.grad().to_vector(), Values(4, 4.0f));
}

TEST(Graph, InputsGetGradientsOnRequest) {
  Graph graph;
  const Var x = graph.input(Tensor::from({2}, {1, 2}));
  const Var loss = x.square().sum();
  x.set_requires_grad(true);
  loss.backward();
  EXPECT_EQ(x.grad().to_vector(), (Values{2, 4}));
}

TEST(Graph, WrongUseThrowsErrorOfMatchingKind) {
  Graph graph;
  Graph other;
  const Var a = graph.zeros({3, 4});
  const Var b = graph.zeros({5, 2});
  EXPECT_EQ(kind_of_failure([&] { a + b; }), "shape_mismatch");
  EXPECT_EQ(kind_of_failure([&] { a.matmul(b); }), "shape_mismatch");
  EXPECT_EQ(kind_of_failure([&] {
              a + other.zeros({3, 4});
            }),
            "graph_mismatch");
  EXPECT_EQ(kind_of_failure([&] { (a * 2.0f).set_value(Tensor()); }),
            "not_a_leaf");
  EXPECT_EQ(kind_of_failure([&] { (a * 2.0f).backward(); }), "invalid_shape");
  EXPECT_EQ(kind_of_failure([&] { graph.named("w"); }), "not_found");
  graph.parameter({1}, Init::zeros(), "w");
  EXPECT_EQ(kind_of_failure([&] { graph.parameter({1}, Init::zeros(), "w"); }),
            "duplicate_name");
  EXPECT_EQ(kind_of_failure([&] {
              graph.zeros({0, 2}).max();
            }),
            "invalid_shape");
  EXPECT_EQ(kind_of_failure([&] { other.step(a * 2.0f); }), "graph_mismatch");
  EXPECT_EQ(kind_of_failure([&] { other.inputs_of(a * 2.0f); }),
            "graph_mismatch");
  EXPECT_EQ(a.try_add(b).error().fields().at("operation"), "add");
  EXPECT_TRUE(a.try_mul(a));
}

TEST(Graph, VarKeepsItsGraphAlive) {
  const auto build = [] {
    Graph graph(3);
    return graph.parameter({2}, Init::ones(), "w").square().sum();
  };
  const Var loss = build();
  EXPECT_EQ(loss.backward(), 2);
  EXPECT_EQ(loss.graph().named("w").grad().to_vector(), (Values{2, 2}));
}

TEST(Graph, SeedDeterminesInitialParameters) {
  const auto begin = [](std::uint64_t seed) {
    return Graph(seed).parameter({9, 9}, Init::kaiming(), "w").value();
  };
  EXPECT_EQ(max_difference(begin(1), begin(1)), 0);
  EXPECT_GT(max_difference(begin(1), begin(2)), 0);
}

TEST(Graph, LossesMatchTheirFormulas) {
  Graph graph;
  const Var x = graph.input(Tensor::from({4}, {-2, 0.5, 1, 3}));
  const Var t = graph.input(Tensor::from({4}, {-1, 0.5, 0, 1}));
  EXPECT_FLOAT_EQ(computed(x.mse(t))[0], (1 + 0 + 1 + 4) / 4.0f);
  EXPECT_FLOAT_EQ(computed(x.mae(t))[0], (1 + 0 + 1 + 2) / 4.0f);
  EXPECT_FLOAT_EQ(computed(x.huber(t))[0], (0.5f + 0 + 0.5f + 1.5f) / 4.0f);
  EXPECT_FLOAT_EQ(computed(x.perception_loss(t))[0], 0);
  const Var p = graph.input(Tensor::from({2}, {0.25, 0.9}));
  const Var label = graph.input(Tensor::from({2}, {0, 1}));
  const float expected = -(std::log(0.75f) + std::log(0.9f)) / 2;
  EXPECT_NEAR(computed(p.bce(label))[0], expected, 1e-6);
  const Var logits = (p / (1.0f - p)).log();
  EXPECT_NEAR(computed(logits.bce_with_logits(label))[0], expected, 1e-6);
  const Var rows = graph.input(Tensor::rows({{1, 2, 3}, {1000, 0, -1000}}));
  const Var hot = graph.input(Tensor::rows({{0, 0, 1}, {1, 0, 0}}));
  EXPECT_NEAR(computed(rows.cross_entropy(hot))[0], 0.40760596f / 2, 1e-6);
  EXPECT_NEAR(computed(rows.log_softmax())[5], -2000, 1e-3);
  // Large logits must not lose precision.
  const Var large = graph.input(Tensor::rows({{10000, 9999}}));
  const Var second = graph.input(Tensor::rows({{0, 1}}));
  EXPECT_NEAR(computed(large.cross_entropy(second))[0], 1.3132617f, 1e-6);
  EXPECT_NEAR(computed(large.log_softmax())[0], -0.3132617f, 1e-6);
}

TEST(Graph, StacksSelectsAndConcatenates) {
  Graph graph;
  const std::vector<Var> parts = {graph.input(Tensor::from({2}, {1, 2})),
                                  graph.input(Tensor::from({2}, {3, 4}))};
  EXPECT_EQ(computed(stack(parts, 0)), (Values{1, 2, 3, 4}));
  EXPECT_EQ(computed(stack(parts, -1)), (Values{1, 3, 2, 4}));
  EXPECT_EQ(computed(concat(parts, 0).slice(0, 1, 3)), (Values{2, 3}));
  EXPECT_EQ(computed(stack(parts, 0).select(1, 1)), (Values{2, 4}));
}

TEST(Graph, SplitsGathersAndPads) {
  Graph graph;
  const Var x = graph.input(Tensor::rows({{1, 2, 3}, {4, 5, 6}}));
  const std::vector<std::int64_t> sizes = {1, 2};
  const auto parts = x.split(1, sizes);
  EXPECT_EQ(computed(parts[0]), (Values{1, 4}));
  EXPECT_EQ(computed(parts[1]), (Values{2, 3, 5, 6}));
  const std::vector<std::int64_t> short_sizes = {1, 1};
  EXPECT_THROW(x.split(1, short_sizes), LogicError);
  const Var indices = graph.input(Tensor::rows({{2, 0}, {1, 1}}));
  EXPECT_EQ(computed(x.gather(1, indices)), (Values{3, 1, 5, 5}));
  indices.set_value(Tensor::rows({{3, 0}, {1, 1}}));
  EXPECT_THROW(x.gather(1, indices).forward(), LogicError);
  indices.set_value(Tensor::full({2, 2}, 1e30f));
  EXPECT_THROW(x.gather(1, indices).forward(), LogicError);
  indices.set_value(Tensor::full({2, 2}, NAN));
  EXPECT_THROW(x.gather(1, indices).forward(), LogicError);
  EXPECT_EQ(computed(x.pad(0, 1, 0, 9)), (Values{9, 9, 9, 1, 2, 3, 4, 5, 6}));
}

TEST(Graph, KeepsLastValueUntilNextRun) {
  Graph graph;
  const Var x = graph.input(Tensor::scalar(2));
  const Var y = x * 3.0f;
  y.forward();
  x.set_value(Tensor::scalar(5));
  EXPECT_EQ(y.item(), 6);
  y.forward();
  EXPECT_EQ(y.item(), 15);
}

TEST(Graph, WarnsOnceAboutGraphThatGrowsInLoop) {
  std::vector<std::string> lines;
  const LogCapture capture(
      [&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  Graph graph;
  const Var w = graph.parameter({}, Init::ones(), "w");
  for (int i = 0; i < 300; ++i) (w * 2.0f).backward();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("set_value"), std::string::npos);
}

// Builds a random expression of `count` operations over a few parameters.
Var random_expression(Graph& graph, Rng& rng, int count,
                      std::vector<Var>& parameters) {
  std::vector<Var> pool;
  for (int i = 0; i < 3; ++i) {
    parameters.push_back(
        graph.parameter({3, 3}, Init::uniform(-1, 1), "p" + std::to_string(i)));
    pool.push_back(parameters.back());
  }
  for (int i = 0; i < count; ++i) {
    const Var& a = rng.choice(pool);
    const Var& b = rng.choice(pool);
    switch (rng.below(9)) {
      case 0:
        pool.push_back((a + b) * 0.5f);
        break;
      case 1:
        pool.push_back(a - b);
        break;
      case 2:
        pool.push_back(a * b);
        break;
      case 3:
        pool.push_back(a.matmul(b) * 0.3f);
        break;
      case 4:
        pool.push_back(a.tanh());
        break;
      case 5:
        pool.push_back(a.sigmoid());
        break;
      case 6:
        pool.push_back(a.softmax());
        break;
      case 7:
        pool.push_back(a / (b.square() + 1.0f));
        break;
      default:
        pool.push_back(a.transpose() + b.mean(0));
        break;
    }
  }
  Var loss = pool.back().mean();
  for (const Var& value : pool) loss = loss + (value.tanh()).mean() * 0.1f;
  return loss;
}

TEST(Graph, GradientsOfRandomExpressionsMatchCentralDifferences) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    Graph graph(seed);
    Rng rng(seed);
    std::vector<Var> parameters;
    const Var loss = random_expression(
        graph, rng, static_cast<int>(rng.integer(5, 40)), parameters);
    const GradientCheck check = check_gradients(loss, parameters, 1e-2f);
    EXPECT_LT(check.largest_error, 5e-3) << check.where << ", seed " << seed;
  }
}

}  // namespace
}  // namespace lamarck
