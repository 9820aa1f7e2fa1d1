#include "lamarck/evolution/weighted_learner.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/evolution/training.h"

namespace lamarck::evolution {
namespace {

// A network of neurons, or one with a layer each for inputs and outputs.
Network reader(bool has_only_neurons, Loss head) {
  Network network = has_only_neurons ? minimal_network(2, 2, 3)
                                     : minimal_layers({.channels = 2}, 2, 3);
  network.set_head(head);
  return network;
}

TEST(WeightedLearner, RaisesAndLowersProbabilitiesBySignOfWeight) {
  const Tensor inputs = Tensor::rows({{1, 0}, {0, 1}});
  for (const bool has_only_neurons : {true, false}) {
    WeightedLearner learner(reader(has_only_neurons, Loss::CrossEntropy),
                            {.rate = 0.1f});
    const Tensor before = learner.outputs(inputs).clone();
    for (int i = 0; i < 5; ++i) {
      learner.step({.inputs = inputs,
                    .targets = Tensor::rows({{1, 0}, {1, 0}}),
                    .weights = Tensor::from({2}, {1, -1}),
                    .scale = 2});
    }
    const Tensor after = predict(learner.network(), inputs);
    EXPECT_GT(after.at({0, 0}), before.at({0, 0})) << has_only_neurons;
    EXPECT_LT(after.at({1, 0}), before.at({1, 0})) << has_only_neurons;
  }
}

TEST(WeightedLearner, FitsNumbersWithNeuronsAndLayers) {
  const Tensor inputs = Tensor::rows({{1, 0}, {0, 1}, {1, 1}});
  const Tensor targets = Tensor::rows({{1, 2}, {3, 4}, {4, 6}});
  for (const bool has_only_neurons : {true, false}) {
    WeightedLearner learner(reader(has_only_neurons, Loss::MeanSquared),
                            {.rate = 0.1f});
    double loss = 0;
    for (int i = 0; i < 500; ++i) {
      loss = learner.step({.inputs = inputs,
                           .targets = targets,
                           .weights = Tensor::ones({3}),
                           .scale = 3});
    }
    EXPECT_LT(loss, 1e-3) << has_only_neurons;
  }
}

TEST(WeightedLearner, KeepsWeightsWhenLossIsNotFinite) {
  WeightedLearner learner(reader(true, Loss::MeanSquared), {});
  const std::vector<float> before = learner.network().parameters().values;
  learner.step({.inputs = Tensor::rows({{1, 1e38f}}),
                .targets = Tensor::rows({{1e38f, -1e38f}}),
                .weights = Tensor::ones({1})});
  EXPECT_EQ(learner.network().parameters().values, before);
}

TEST(WeightedLearner, RejectsRecurrentLayers) {
  Network network = minimal_layers({.channels = 2}, 2);
  const UnitId output = network.nodes_of(Role::Output)[0];
  network.add_recurrent_edge(output, output);
  EXPECT_THROW(WeightedLearner(network, {}), LogicError);
}

}  // namespace
}  // namespace lamarck::evolution
