#include "lamarck/evolution/dynamic_module.h"

#include <gtest/gtest.h>

#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/random_network_fixture.h"
#include "lamarck/graph/gradient_check.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"

namespace lamarck::evolution {
namespace {

// Smooth activations and aggregations, so that central differences are
// accurate.
Network smooth_network(std::uint64_t seed) {
  Network network = random_network(seed);
  for (const UnitId id : network.hidden_nodes()) {
    network.set_activation(id, Activation::Tanh);
    network.set_aggregation(id, Aggregation::Sum);
  }
  return network;
}

std::int64_t inputs_of(const Network& network) {
  return static_cast<std::int64_t>(network.input_width());
}
std::int64_t outputs_of(const Network& network) {
  return static_cast<std::int64_t>(network.output_width());
}

TEST(DynamicModule, ComputesSameOutputsAsNetwork) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = random_network(seed);
    Rng rng(seed);
    const Tensor rows = Tensor::randn({3, inputs_of(network)}, rng);
    const Graph alone = to_graph(network);
    Graph graph;
    const Var x = graph.input(rows);
    const DynamicModule evolved(graph, network, "evolved");
    const Var y = evolved(x) * 1.0f;

    alone.named("input").set_value(rows);
    for (int step = 0; step < 3; ++step) {
      alone.step(alone.named("output"));
      graph.step(y);
      EXPECT_EQ(y.value().to_vector(),
                alone.named("output").value().to_vector());
    }
  }
}

TEST(DynamicModule, GradientsPassThroughToOtherLayers) {
  for (const std::uint64_t seed : {0, 1, 3, 8, 9}) {
    SCOPED_TRACE(seed);
    const Network network = smooth_network(seed);
    Graph graph(seed);
    const Var x = graph.randn({4, 3});
    const Var target = graph.randn({4, 2});
    const nn::Linear first(graph, 3, inputs_of(network), "first");
    const DynamicModule evolved(graph, network, "evolved");
    const nn::Linear last(graph, outputs_of(network), 2, "last");
    const Var loss = last(evolved(first(x))).mse(target);

    const auto all = nn::parameters(first, evolved, last);
    const GradientCheck check = check_gradients(loss, all);

    EXPECT_LT(check.largest_error, 5e-3) << check.where;
  }
}

TEST(DynamicModule, TrainsTogetherWithOtherLayers) {
  const Network network = smooth_network(1);
  Graph graph(1);
  const Var x = graph.randn({32, 3});
  const Var target = graph.input(Tensor::zeros({32, 1}));
  Tensor wanted = Tensor::zeros({32, 1});
  const std::vector<float> rows = x.value().to_vector();
  for (std::size_t i = 0; i < 32; ++i) {
    wanted.begin_of_data()[i] = rows[3 * i] * rows[3 * i + 1];
  }
  target.set_value(wanted);
  const nn::Linear first(graph, 3, inputs_of(network), "first");
  const DynamicModule evolved(graph, network, "evolved");
  const nn::Linear last(graph, outputs_of(network), 1, "last");
  const Var loss = last(evolved(first(x))).mse(target);
  optim::Adam adam(nn::parameters(first, evolved, last), 1e-2f);

  const float before = loss.backward();
  float after = before;
  for (int step = 0; step < 300; ++step) {
    adam.step();
    adam.zero_grad();
    after = loss.backward();
  }

  EXPECT_LT(after, 0.3f * before);
  const Network trained = evolved.network();
  trained.check();
  EXPECT_NE(trained.parameters().values, network.parameters().values);
  EXPECT_EQ(trained.topology_hash(), network.topology_hash());
}

TEST(DynamicModule, NetworkReturnsCurrentWeights) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Network network = random_network(seed);
    const Graph graph;
    const DynamicModule evolved(graph, network, "evolved");
    EXPECT_EQ(evolved.network().parameters().values,
              network.parameters().values);
  }
}

TEST(DynamicModule, CallsShareNamedParameters) {
  const Network network = random_network(5);  // Recurrent layers.
  const Graph graph;
  const DynamicModule evolved(graph, network, "evolved");
  const Var x = graph.randn({1, inputs_of(network)});
  const std::size_t count = graph.parameters().size();

  const Var twice = evolved(x) + evolved(x);
  twice.forward();

  EXPECT_EQ(graph.parameters().size(), count);
  for (const auto& [name, parameter] : evolved.named_parameters()) {
    EXPECT_TRUE(name.starts_with("evolved.node_")) << name;
  }
}

TEST(DynamicModule, StateCarriesOverBetweenSteps) {
  Network network = minimal_network(1, 1);
  network.add_recurrent_edge(network.nodes()[1].id, network.nodes()[1].id);
  // Bias, weight and self-loop make a running sum.
  network.parameters().values = {0, 1, 1};
  const Graph graph;
  const Var x = graph.input(Tensor::rows({{2}}));
  const DynamicModule evolved(graph, network, "sum");
  const Var y = evolved(x) * 1.0f;

  for (int step = 0; step < 3; ++step) graph.step(y);
  EXPECT_EQ(y.value().to_vector(), std::vector<float>{6});
  graph.reset_state();
  graph.step(y);
  EXPECT_EQ(y.value().to_vector(), std::vector<float>{2});
}

TEST(DynamicModule, RecurrentEdgesFlattenConvolutions) {
  Network network =
      minimal_layers({.channels = 1, .height = 4, .width = 4}, 2, 1);
  const UnitId in = network.nodes()[0].id;
  const UnitId out = network.nodes()[1].id;
  const UnitId conv =
      network.add_hidden({.cell = Cell::Conv,
                          .kernel = 3,
                          .pool = 2,
                          .extent = {.channels = 3, .height = 2, .width = 2}});
  network.add_edge(in, conv);
  network.add_edge(conv, out);
  network.add_recurrent_edge(conv, out);

  const Graph graph = to_graph(network);

  EXPECT_NO_THROW(graph.step(graph.named("output")));
  EXPECT_NO_THROW(graph.step(graph.named("output")));
}

TEST(DynamicModule, RejectsWrongWidthAndDuplicateName) {
  const Graph graph;
  const DynamicModule evolved(graph, minimal_network(3, 1), "evolved");
  EXPECT_THROW(evolved(graph.zeros({2, 4})), LogicError);
  EXPECT_THROW(DynamicModule(graph, minimal_network(3, 1), "evolved"),
               LogicError);
}

}  // namespace
}  // namespace lamarck::evolution
