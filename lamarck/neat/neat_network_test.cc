#include "lamarck/neat/neat_network.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/neat/steep_sigmoid.h"

namespace lamarck::neat {
namespace {

double exact_sigmoid(double x) { return 1 / (1 + std::exp(-4.9 * x)); }

TEST(SteepSigmoid, IsLogisticFunctionWithSlope4Point9) {
  for (double x = -20; x <= 20; x += 0.037) {
    EXPECT_NEAR(steep_sigmoid(x), exact_sigmoid(x), 1e-9) << x;
  }
  EXPECT_NEAR(steep_sigmoid(1e9), 1, 1e-12);
  EXPECT_NEAR(steep_sigmoid(-1e9), 0, 1e-12);
}

TEST(FlatNetwork, AppliesSigmoidToWeightedSum) {
  InnovationTracker tracker(Genome::node_count(2, 1));
  Genome genome = Genome::minimal(2, 1, tracker);
  genome.set_weight(0, 0.1f);
  genome.set_weight(1, 0.5f);
  genome.set_weight(2, -0.25f);
  FlatNetwork network(genome);
  const std::array inputs = {1.0, 2.0};
  EXPECT_NEAR(network.step(inputs)[0], exact_sigmoid(double{0.1f}), 1e-9);
}

TEST(FlatNetwork, IgnoresDisabledConnections) {
  InnovationTracker tracker(Genome::node_count(1, 1));
  Genome genome = Genome::minimal(1, 1, tracker);
  genome.set_weight(1, 3);
  genome.set_enabled(1, false);
  FlatNetwork network(genome);
  EXPECT_DOUBLE_EQ(network.step(std::array{1.0})[0], 0.5);
}

// An identity output with a connection to itself sums its inputs.
TEST(FlatNetwork, RecurrentConnectionsCarryPreviousValues) {
  InnovationTracker tracker(Genome::node_count(1, 1));
  Genome genome = Genome::minimal(1, 1, tracker);
  genome.set_weight(1, 1);
  genome.set_activation(2, NodeActivation::Identity);
  genome.add_connection(2, 2, 1, tracker);
  FlatNetwork network(genome);
  network.step(std::array{1.0});
  EXPECT_DOUBLE_EQ(network.step(std::array{2.0})[0], 3);
  network.reset();
  EXPECT_DOUBLE_EQ(network.step(std::array{5.0})[0], 5);
}

TEST(FlatNetwork, CasesMatchSingleSteps) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed);
    InnovationTracker tracker(Genome::node_count(3, 2));
    Genome genome = Genome::minimal(3, 2, tracker);
    const NeatOptions often = {
        .add_node = 0.4, .add_connection = 0.6, .recurrent_share = 0.3};
    for (int i = 0; i < 20; ++i) genome.mutate(often, tracker, rng);
    std::array<double, 18> inputs{};
    for (double& input : inputs) input = rng.uniform(-1, 1);
    std::array<double, 12> outputs{};

    FlatNetwork network(genome);
    network.evaluate_cases(inputs, outputs);

    for (std::size_t i = 0; i < 6; ++i) {
      network.reset();
      const auto single = network.step(std::span(inputs).subspan(3 * i, 3));
      EXPECT_DOUBLE_EQ(outputs[2 * i], single[0]) << "seed " << seed;
      EXPECT_DOUBLE_EQ(outputs[2 * i + 1], single[1]) << "seed " << seed;
    }
  }
}

TEST(FlatNetwork, RejectsWrongNumberOfInputs) {
  InnovationTracker tracker(Genome::node_count(2, 1));
  FlatNetwork network(Genome::minimal(2, 1, tracker));
  EXPECT_THROW(network.step(std::array{1.0}), LogicError);
}

}  // namespace
}  // namespace lamarck::neat
