#include "lamarck/nn/dropout_layer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/base/error.h"

namespace lamarck::nn {
namespace {

TEST(DropoutLayer, GradientFlowsOnlyThroughKeptElements) {
  Graph graph(1);
  const Dropout drop(graph, 0.25f, "drop");
  const Var x = graph.ones({1000});
  x.set_requires_grad(true);
  const Var y = drop(x);
  const Var loss = y.sum();
  loss.backward();
  const auto values = y.value().to_vector();
  std::size_t dropped = 0;
  for (const float value : values) {
    EXPECT_TRUE(value == 0 || std::abs(value - 4.0f / 3) < 1e-6f);
    dropped += value == 0 ? 1u : 0u;
  }
  EXPECT_NEAR(static_cast<double>(dropped), 250, 70);
  EXPECT_EQ(x.grad().to_vector(), values);
}

TEST(DropoutLayer, IsIdentityInEvaluation) {
  Graph graph(1);
  Rng rng(1);
  const Dropout drop(graph, 0.9f, "drop");
  const Tensor x = Tensor::randn({33}, rng);
  const Var y = drop(graph.input(x));
  drop.eval();
  y.forward();
  EXPECT_EQ(max_difference(y.value(), x), 0);
}

TEST(DropoutLayer, MaskDependsOnGraphSeedAndLayerName) {
  const auto mask = [](std::uint64_t seed, const std::string& name) {
    Graph graph(seed);
    const Var y = Dropout(graph, 0.5f, name)(graph.ones({64}));
    y.forward();
    return y.value().to_vector();
  };
  EXPECT_EQ(mask(1, "drop"), mask(1, "drop"));
  EXPECT_NE(mask(1, "drop"), mask(2, "drop"));
  EXPECT_NE(mask(1, "drop"), mask(1, "other"));
}

TEST(DropoutLayer, RejectsProbabilityAboveOne) {
  Graph graph;
  EXPECT_THROW(Dropout(graph, 1.5f, "drop")(graph.ones({2})), LogicError);
}

}  // namespace
}  // namespace lamarck::nn
