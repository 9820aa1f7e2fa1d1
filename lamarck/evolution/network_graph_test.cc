#include "lamarck/evolution/network_graph.h"

#include <gtest/gtest.h>

#include <set>

#include "lamarck/base/error.h"
#include "lamarck/evolution/internal/owned_parameters.h"
#include "lamarck/evolution/internal/plain_network.h"
#include "lamarck/evolution/random_network_fixture.h"
#include "lamarck/evolution/training.h"
#include "lamarck/graph/onnx_export.h"

namespace lamarck::evolution {
namespace {

void expect_near(const std::vector<float>& values,
                 const PlainNetwork::Row& wanted) {
  ASSERT_EQ(values.size(), wanted.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], wanted[i], 3e-5 * (1 + std::abs(wanted[i])))
        << "at " << i;
  }
}

// The graph's outputs for sequences [rows, steps, n].
std::vector<float> stepped(const Graph& graph, const Tensor& inputs) {
  std::vector<Tensor> outputs;
  graph.reset_state();
  for (std::int64_t t = 0; t < inputs.size(1); ++t) {
    graph.named("input").set_value(inputs.select(1, t).contiguous());
    graph.step(graph.named("output"));
    const Tensor value = graph.named("output").value();
    outputs.push_back(value.reshape({value.size(0), 1, value.size(1)}));
  }
  graph.reset_state();
  return concat(outputs, 1).to_vector();
}

// The random networks cover all activations, aggregations and heads, with and
// without recurrence.
TEST(NetworkGraph, MatchesReferenceImplementation) {
  std::set<std::pair<Cell, Loss>> seen;
  for (std::uint64_t seed = 0; seed < 96; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = random_network(seed);
    Rng rng(seed);
    const auto width = static_cast<std::int64_t>(network.input_width());
    const Tensor rows = Tensor::randn({3, width}, rng);
    const Tensor sequences = Tensor::randn({2, 4, width}, rng);
    PlainNetwork plain(network);
    const Graph graph = to_graph(network);

    graph.named("input").set_value(rows);
    graph.named("output").forward();
    expect_near(graph.named("output").value().to_vector(), plain.predict(rows));
    expect_near(stepped(graph, sequences), plain.predict(sequences));
    expect_near(predict(network, rows).to_vector(), plain.predict(rows));
    expect_near(predict(network, sequences).to_vector(),
                plain.predict(sequences));
    if (testing::Test::HasFailure()) return;
    for (const NetworkNode& node : network.nodes()) {
      seen.emplace(node.cell, network.head());
    }
  }
  EXPECT_EQ(seen.size(), 12u);  // Every cell under every head.
}

TEST(NetworkGraph, SupportsRecurrentAndSinglePixelConvolutions) {
  Network network;
  const UnitId image =
      network.add_input({.channels = 2, .height = 4, .width = 4});
  const UnitId output = network.add_output(2, Activation::Identity);
  const UnitId conv =
      network.add_hidden({.cell = Cell::Conv,
                          .kernel = 3,
                          .pool = 2,
                          .extent = {.channels = 3, .height = 2, .width = 2}});
  const UnitId pixel = network.add_hidden(
      {.cell = Cell::Conv, .kernel = 3, .pool = 2, .extent = {.channels = 2}});
  const UnitId dense = network.add_hidden({.extent = {.channels = 3}});
  network.add_edge(image, conv);
  network.add_edge(conv, pixel);
  network.add_edge(pixel, dense);
  network.add_edge(dense, output);
  network.add_recurrent_edge(conv, dense);
  network.add_recurrent_edge(pixel, output);
  Rng rng(1);
  draw_all_parameters(network, rng);
  const Tensor sequences = Tensor::randn({3, 4, 32}, rng);
  expect_near(predict(network, sequences).to_vector(),
              PlainNetwork(network).predict(sequences));
}

TEST(NetworkGraph, NodeWithoutInputsOutputsItsBias) {
  for (const std::uint32_t width : {1u, 2u}) {
    Network network;
    network.add_input({.channels = 3});
    const UnitId output = network.add_output(width, Activation::Identity);
    network.own_parameters(network.node(output))[0] = 0.5f;
    const Tensor given = predict(network, Tensor::ones({4, 3}));
    ASSERT_EQ(given.shape(), (Shape{4, width}));
    EXPECT_EQ(given.at({3, 0}), 0.5f);
  }
}

TEST(NetworkGraph, NodeWithOnlyRecurrentInputsHasStatePerRow) {
  for (const Cell cell : {Cell::Dense, Cell::Lstm, Cell::Gru}) {
    Network network = minimal_layers({.channels = 2}, 2);
    const UnitId id =
        network.add_hidden({.cell = cell, .extent = {.channels = 2}});
    network.add_recurrent_edge(1, id);
    network.add_edge(id, 1);
    Rng rng(1);
    draw_all_parameters(network, rng);
    const Tensor sequences = Tensor::randn({3, 4, 2}, rng);
    expect_near(predict(network, sequences).to_vector(),
                PlainNetwork(network).predict(sequences));
    const Tensor rows = Tensor::randn({3, 2}, rng);
    expect_near(predict(network, rows).to_vector(),
                PlainNetwork(network).predict(rows));
  }
}

TEST(ParameterPlaces, FollowOrderOfGraph) {
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = random_network(seed);
    const Graph graph = to_graph(network);
    const auto places = parameter_places(network);
    std::vector<float> wanted;
    for (const std::size_t place : places) {
      wanted.push_back(network.parameters().values.at(place));
    }
    std::vector<float> given;
    for (const Var& parameter : graph.parameters()) {
      const auto values = parameter.value().to_vector();
      given.insert(given.end(), values.begin(), values.end());
    }
    EXPECT_EQ(given, wanted);
    EXPECT_EQ(std::set(places.begin(), places.end()).size(),
              network.parameters().size());
  }
}

TEST(TakeWeights, RestoresWeights) {
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = random_network(seed);
    const Graph graph = to_graph(network);
    Network other = network;
    std::ranges::fill(other.parameters().values, 0.0f);
    take_weights(graph, other);
    EXPECT_EQ(other.parameters(), network.parameters());
  }
}

TEST(TakeWeights, RejectsAnotherTopology) {
  const Graph graph = to_graph(minimal_network(2, 1));
  Network wider = minimal_network(3, 1);
  EXPECT_THROW(take_weights(graph, wider), LogicError);
  Network more = minimal_network(2, 2);
  EXPECT_THROW(take_weights(graph, more), LogicError);
}

TEST(NetworkGraph, ExportsToOnnx) {
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = to_graph(random_network(seed));
    const std::vector<Var> outputs = {graph.named("output")};
    const auto bytes = onnx_bytes(outputs);
    ASSERT_TRUE(bytes) << bytes.error().message();
    EXPECT_FALSE(bytes->empty());
  }
}

}  // namespace
}  // namespace lamarck::evolution
