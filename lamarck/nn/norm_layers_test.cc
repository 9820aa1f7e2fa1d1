#include "lamarck/nn/norm_layers.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/graph/gradient_check.h"

namespace lamarck::nn {
namespace {

TEST(BatchNorm, TrainingNormalizesBatchAndUpdatesRunningStatistics) {
  Graph graph;
  const BatchNorm norm(graph, 1, "norm", {.epsilon = 0, .momentum = 0.5f});
  const Var y = norm(graph.input(Tensor::from({4, 1}, {1, 3, 1, 3})));
  y.forward();
  EXPECT_EQ(y.value().to_vector(), (std::vector<float>{-1, 1, -1, 1}));
  EXPECT_FLOAT_EQ(graph.named("norm.running_mean").value().at({0}), 1);
  // The unbiased variance is 4/3.
  EXPECT_FLOAT_EQ(graph.named("norm.running_var").value().at({0}),
                  0.5f + 0.5f * 4 / 3);
}

TEST(BatchNorm, EvaluationUsesRunningStatistics) {
  Graph graph;
  const BatchNorm norm(graph, 2, "norm", {.epsilon = 0});
  norm.inputs().mean.set_value(Tensor::from({2}, {1, 2}));
  norm.inputs().variance.set_value(Tensor::from({2}, {4, 0.25f}));
  norm.eval();
  const Var y = norm(graph.input(Tensor::rows({{3, 3}})));
  y.forward();
  EXPECT_EQ(y.value().to_vector(), (std::vector<float>{1, 2}));
  EXPECT_EQ(norm.inputs().mean.value().to_vector(), (std::vector<float>{1, 2}));
}

TEST(BatchNorm, RejectsTrainingOnOneSample) {
  Graph graph;
  const BatchNorm norm(graph, 2, "norm");
  const Var y = norm(graph.zeros({1, 2}));
  EXPECT_THROW(y.forward(), LogicError);
  EXPECT_THROW(norm(graph.zeros({4, 3})), LogicError);
}

TEST(BatchNorm, GradientsAgreeWithDifferences) {
  Graph graph(3);
  Rng rng(3);
  const BatchNorm norm(graph, 3, "norm");
  const Var x = graph.input(Tensor::randn({4, 3, 2, 2}, rng));
  x.set_requires_grad(true);
  const Var loss = (norm(x) * graph.rand({4, 3, 2, 2})).tanh().sum();
  auto leaves = norm.parameters();
  leaves.push_back(x);
  EXPECT_LT(check_gradients(loss, leaves).largest_error, 2e-3);
  norm.eval();
  EXPECT_LT(check_gradients(loss, leaves).largest_error, 2e-3);
}

TEST(LayerNorm, NormalizesEachRow) {
  Graph graph;
  const LayerNorm norm(graph, 2, "norm", 0);
  const Var y = norm(graph.input(Tensor::rows({{1, 3}, {50, 10}})));
  y.forward();
  EXPECT_EQ(y.value().to_vector(), (std::vector<float>{-1, 1, 1, -1}));
  EXPECT_THROW(norm(graph.zeros({4, 3})), LogicError);
}

TEST(LayerNorm, GradientsAgreeWithDifferences) {
  Graph graph(4);
  Rng rng(4);
  const LayerNorm norm(graph, 5, "norm");
  const Var x = graph.input(Tensor::randn({2, 3, 5}, rng));
  x.set_requires_grad(true);
  const Var loss = (norm(x) * graph.rand({2, 3, 5})).tanh().sum();
  auto leaves = norm.parameters();
  leaves.push_back(x);
  EXPECT_LT(check_gradients(loss, leaves).largest_error, 2e-3);
}

}  // namespace
}  // namespace lamarck::nn
