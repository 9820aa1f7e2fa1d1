#include "lamarck/nn/sequential.h"

#include <gtest/gtest.h>

#include "lamarck/graph/gradient_check.h"
#include "lamarck/nn/conv2d.h"
#include "lamarck/nn/dropout_layer.h"
#include "lamarck/nn/linear.h"
#include "lamarck/nn/norm_layers.h"

namespace lamarck::nn {
namespace {

TEST(Sequential, CallsModulesFunctionsAndMethodsInOrder) {
  Graph graph(1);
  const Linear first(graph, 2, 3, "first");
  const Linear second(graph, 3, 1, "second");
  const Sequential net(
      {first, &Var::relu, [](const Var& x) { return x * 2.0f; }, second});
  const Var x = graph.input(Tensor::rows({{1, -2}, {0.5f, 3}}));
  const Var ours = net(x);
  const Var expected = second(first(x).relu() * 2.0f);
  ours.forward();
  expected.forward();
  EXPECT_EQ(ours.value().to_vector(), expected.value().to_vector());
}

TEST(Sequential, ListsParametersOfModulesInOrder) {
  Graph graph;
  const Sequential inner({Linear(graph, 3, 2, "b", {.bias = false})});
  const Sequential net({Linear(graph, 4, 3, "a"), &Var::tanh, inner});
  std::vector<std::string> names;
  for (const auto& [name, parameter] : net.named_parameters()) {
    names.push_back(name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"a.weight", "a.bias", "b.weight"}));
  EXPECT_EQ(net.parameter_count(), 21);
}

// A network as a user would write it, with its layers as members.
struct Net : Module {
  explicit Net(const Graph& graph)
      : conv(graph, 1, 2, 3, "conv", {.padding = 1}),
        norm(graph, 2, "norm"),
        drop(graph, 0.5f, "drop"),
        out(graph, 8, 3, "out") {}

  Var operator()(const Var& x) const {
    return out(drop(norm(conv(x)).tanh().avg_pool2d(2)).flatten());
  }
  std::vector<const Module*> children() const override {
    return {&conv, &norm, &drop, &out};
  }

  Conv2d conv;
  BatchNorm norm;
  Dropout drop;
  Linear out;
};

TEST(Module, CollectsParametersBuffersAndModesOfChildren) {
  Graph graph(3);
  const Net net(graph);
  EXPECT_EQ(net.named_parameters().size(), 6u);
  EXPECT_EQ(net.named_parameters()[2].first, "norm.weight");
  EXPECT_EQ(net.parameter_count(), 18 + 2 + 2 + 2 + 24 + 3);
  EXPECT_EQ(net.buffers().size(), 2u);
  EXPECT_EQ(net.modes().size(), 2u);
}

// A module with both children and a parameter of its own.
struct ScaledNet : nn::Module {
  explicit ScaledNet(const Graph& graph, const std::string& name)
      : norm(graph, 2, name + ".norm"),
        scale(graph.parameter({2}, Init::ones(), name + ".scale")) {}
  std::vector<const Module*> children() const override { return {&norm}; }

  nn::BatchNorm norm;
  Var scale;

 private:
  std::vector<Var> own_parameters() const override { return {scale}; }
};

TEST(Module, HasItsOwnParametersBesideThoseOfChildren) {
  Graph graph(3);
  const ScaledNet net(graph, "a");
  ASSERT_EQ(net.parameters().size(), 3u);
  EXPECT_EQ(net.parameters()[0].name(), "a.scale");
  net.eval();
  EXPECT_EQ(graph.named("a.norm.training").value().item(), 0);
}

TEST(Module, CopyWeightsIncludesBuffers) {
  Graph graph(3);
  const ScaledNet from(graph, "a");
  const ScaledNet to(graph, "b");
  graph.named("a.norm.running_mean").set_value(Tensor::full({2}, 5));
  from.scale.set_value(Tensor::full({2}, 7));
  nn::copy_weights(from, to);
  EXPECT_EQ(graph.named("b.norm.running_mean").value().at({1}), 5);
  EXPECT_EQ(to.scale.value().at({0}), 7);
  EXPECT_THROW(nn::copy_weights(from.norm, to), LogicError);
}

TEST(Module, SwitchingModesKeepsOnePlan) {
  Graph graph(4);
  Rng rng(4);
  const Net net(graph);
  const Var y = net(graph.input(Tensor::randn({5, 1, 4, 4}, rng)));
  y.forward();
  const Tensor trained = y.value();
  net.eval();
  EXPECT_EQ(graph.named("drop.training").value().item(), 0);
  y.forward();
  const Tensor evaluated = y.value();
  y.forward();
  EXPECT_EQ(max_difference(evaluated, y.value()), 0);
  EXPECT_GT(max_difference(evaluated, trained), 0);
  net.train();
  EXPECT_EQ(graph.named("norm.training").value().item(), 1);
  y.forward();
  EXPECT_GT(max_difference(evaluated, y.value()), 0);
  EXPECT_EQ(graph.plan_count(), 1u);
}

TEST(Module, GradientsOfNetworkAgreeWithDifferences) {
  Graph graph(5);
  Rng rng(5);
  const Net net(graph);
  const Var x = graph.input(Tensor::randn({4, 1, 4, 4}, rng));
  const Var loss = net(x).mse(graph.input(Tensor::randn({4, 3}, rng)));
  loss.forward();  // Moves the running statistics away from their start.
  net.eval();
  EXPECT_LT(check_gradients(loss, net.parameters(), 2e-3f).largest_error, 5e-3);
}

}  // namespace
}  // namespace lamarck::nn
