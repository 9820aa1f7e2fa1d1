#include "lamarck/graph/weights.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

Graph two_layers(std::uint64_t seed) {
  Graph graph(seed);
  graph.parameter({2, 3}, Init::xavier(), "fc1.weight");
  graph.parameter({3}, Init::normal(0, 1), "fc1.bias");
  return graph;
}

TEST(Weights, CanBeCopiedBetweenGraphs) {
  const Graph from = two_layers(1);
  const Graph to = two_layers(2);
  const auto bytes = safetensors_to_bytes(named_weights(from));
  ASSERT_TRUE(set_weights(to, *safetensors_from_bytes(bytes)));
  for (const Var& parameter : from.parameters()) {
    EXPECT_EQ(
        max_difference(parameter.value(), to.named(parameter.name()).value()),
        0);
  }
}

TEST(Weights, MismatchChangesNothing) {
  const Graph graph = two_layers(1);
  const NamedTensors before = named_weights(graph);
  const auto result = set_weights(graph, {{"fc1.weight", Tensor::ones({3, 2})},
                                          {"fc9.bias", Tensor::ones({3})}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(),
            "The weights do not match the graph: 'fc1.bias' is missing; "
            "'fc1.weight' has shape [3, 2] but needs [2, 3]; 'fc9.bias' is "
            "unknown.");
  EXPECT_EQ(max_difference(named_weights(graph).at("fc1.weight"),
                           before.at("fc1.weight")),
            0);
}

}  // namespace
}  // namespace lamarck
