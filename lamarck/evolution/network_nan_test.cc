// NaN in, NaN out, whichever way a network is computed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/network_stepper.h"
#include "lamarck/evolution/neuron/neuron_plan.h"
#include "lamarck/evolution/random_network_fixture.h"
#include "lamarck/evolution/training.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::evolution {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// Runs the tests once per instruction set of this machine.
class NetworkNan : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(choose_simd_target(GetParam()).has_value());
  }
  void TearDown() override {
    ASSERT_TRUE(choose_simd_target("auto").has_value());
  }
};

// Which values are NaN, as a row of digits.
std::string nan_pattern(std::span<const float> values) {
  std::string pattern;
  for (const float each : values) pattern += std::isnan(each) ? '1' : '0';
  return pattern;
}

// A node that reads three inputs.
NeuronTopology three_to_one(const NeuronTopology::Node& node) {
  return {.inputs = 3,
          .outputs = 1,
          .nodes = {node},
          .edges = {{0, 3}, {1, 3}, {2, 3}}};
}

TEST_P(NetworkNan, PassesThroughEveryNodeFromEveryInput) {
  for (const ActivationEntry& activation : activation_table()) {
    for (const AggregationEntry& aggregation : aggregation_table()) {
      NeuronPlan plan(three_to_one({activation.value, aggregation.value}),
                      Loss::MeanSquared);
      const std::vector<float> weights = {1, 2, 3, 0};
      for (std::int64_t at = 0; at < 3; ++at) {
        Tensor rows = Tensor::ones({2, 3});
        rows.at({1, at}) = kMissing;
        const Tensor outputs =
            plan.outputs(weights, NeuronBatch(rows, Tensor()));
        EXPECT_EQ(nan_pattern(outputs.data()), "01")
            << activation.name << " of " << aggregation.name << " at " << at;
      }
    }
  }
}

TEST_P(NetworkNan, MakesEveryLossNan) {
  for (const LossEntry& loss : loss_table()) {
    const NeuronTopology::Node output{loss.value == Loss::BinaryCrossEntropy
                                          ? Activation::Sigmoid
                                          : Activation::Identity};
    const NeuronTopology topology{.inputs = 2,
                                  .outputs = 2,
                                  .nodes = {output, output},
                                  .edges = {{0, 2}, {1, 3}}};
    for (std::int64_t at = 0; at < 2; ++at) {
      NeuronPlan plan(topology, loss.value);
      Tensor rows = Tensor::ones({5, 2});
      rows.at({3, at}) = kMissing;
      const std::vector<float> weights = {1, 1, 0, 0};
      const NeuronBatch batch(rows, Tensor::full({5, 2}, 0.5f));
      EXPECT_TRUE(std::isnan(plan.loss(weights, batch))) << loss.name;
    }
  }
}

// The graph, the plan of neurons and the stepper agree on which outputs are
// NaN.
TEST_P(NetworkNan, AppearsInTheSameOutputsOfEveryWayToCompute) {
  constexpr std::int64_t kSteps = 3;
  std::size_t nan_outputs = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const Network network = random_network(seed, 16);
    const auto width = static_cast<std::int64_t>(network.input_width());
    Rng rng(seed);
    Tensor sequence = Tensor::randn({1, kSteps, width}, rng);
    sequence.at({0, 1, rng.integer(0, width - 1)}) = kMissing;
    const Graph graph = to_graph(network);
    NetworkStepper stepper(network);
    const Tensor predicted = predict(network, sequence);
    for (std::int64_t step = 0; step < kSteps; ++step) {
      const Tensor now = sequence.select(1, step).contiguous();
      graph.named("input").set_value(now);
      graph.step(graph.named("output"));
      const Tensor value = graph.named("output").value();
      const std::string wanted = nan_pattern(value.data());
      nan_outputs += std::ranges::count(wanted, '1');
      EXPECT_EQ(nan_pattern(stepper.step(now.data())), wanted)
          << "seed " << seed << " step " << step;
      const Tensor row = predicted.select(1, step).contiguous();
      EXPECT_EQ(nan_pattern(row.data()), wanted)
          << "seed " << seed << " step " << step;
    }
  }
  EXPECT_GT(nan_outputs, 50u);
}

INSTANTIATE_TEST_SUITE_P(Targets, NetworkNan,
                         testing::ValuesIn(supported_simd_targets()),
                         [](const auto& target) { return target.param; });

}  // namespace
}  // namespace lamarck::evolution
