#include "lamarck/neat/neat_graph.h"

#include <array>
#include <vector>
#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/neat/neat_network.h"

namespace lamarck::neat {
namespace {

struct RandomGenome {
  explicit RandomGenome(std::uint64_t seed, double recurrent_share)
      : rng(seed) {
    const NeatOptions often = {.perturb_power = 0.3,
                               .replace_range = 1,
                               .add_node = 0.4,
                               .add_connection = 0.6,
                               .toggle_enabled = 0.2,
                               .recurrent_share = recurrent_share};
    for (int i = 0; i < 15; ++i) genome.mutate(often, tracker, rng);
  }

  Rng rng;
  InnovationTracker tracker{Genome::node_count(3, 2)};
  Genome genome = Genome::minimal(3, 2, tracker);
};

TEST(NeatGraph, MatchesFlatNetwork) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    RandomGenome it(seed, 0);
    std::vector<float> inputs;
    for (int i = 0; i < 12; ++i) inputs.push_back(it.rng.uniform_float());
    const std::vector<double> exact(inputs.begin(), inputs.end());
    std::vector<double> expected(8);
    FlatNetwork(it.genome).evaluate_cases(exact, expected);

    const Graph graph = compile(it.genome);
    graph.named("input").set_value(Tensor::from({4, 3}, inputs));
    const Var output = graph.named("output");
    output.forward();

    ASSERT_EQ(output.shape(), Shape({4, 2})) << "seed " << seed;
    const Tensor value = output.value();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(value.data()[i], expected[i], 2e-6) << "seed " << seed;
    }
  }
}

TEST(NeatGraph, MatchesFlatNetworkOverTime) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    RandomGenome it(seed, 0.5);
    FlatNetwork network(it.genome);
    const Graph graph = compile(it.genome);
    for (int step = 0; step < 6; ++step) {
      std::vector<float> inputs;
      for (int i = 0; i < 3; ++i) inputs.push_back(it.rng.uniform_float());
      const auto expected =
          network.step(std::vector<double>(inputs.begin(), inputs.end()));
      graph.named("input").set_value(Tensor::from({1, 3}, inputs));
      graph.step(graph.named("output"));
      const Tensor value = graph.named("output").value();
      EXPECT_NEAR(value.data()[0], expected[0], 1e-4) << "seed " << seed;
      EXPECT_NEAR(value.data()[1], expected[1], 1e-4) << "seed " << seed;
    }
  }
}

TEST(NeatGraph, CopiesTrainedWeightsBack) {
  RandomGenome it(1, 0);
  const Genome before = it.genome;
  const Graph graph = compile(it.genome);
  Genome same = before;
  take_weights(graph, same);
  EXPECT_EQ(same, before);

  const Var output = graph.named("output");
  output.mse(graph.input(Tensor::zeros({1, 2}))).backward();
  for (const Var& weight : graph.parameters()) {
    if (!weight.has_grad()) continue;
    weight.elements()[0] -= 0.5f * weight.gradient_elements()[0];
  }
  take_weights(graph, it.genome);
  EXPECT_FALSE(it.genome == before);
  output.forward();
  FlatNetwork network(it.genome);
  const std::array inputs = {0.0, 0.0, 0.0};
  EXPECT_NEAR(network.step(inputs)[0], output.value().at({0, 0}), 2e-6);
}

TEST(NeatGraph, RejectsGraphOfAnotherGenome) {
  RandomGenome it(1, 0);
  Genome grown = it.genome;
  grown.mutate_add_node({}, it.tracker, it.rng);
  EXPECT_THROW(take_weights(compile(it.genome), grown), LogicError);
}

}  // namespace
}  // namespace lamarck::neat
