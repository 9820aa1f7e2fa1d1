// Networks of neurons can be trained as plans and as graphs. Both must compute
// the same loss and gradient, also for sequences.

#include <gtest/gtest.h>

#include <cmath>

#include "lamarck/evolution/internal/layer_training.h"
#include "lamarck/evolution/internal/neuron_training.h"
#include "lamarck/evolution/internal/owned_parameters.h"
#include "lamarck/evolution/internal/plain_network.h"
#include "lamarck/evolution/random_network_fixture.h"

namespace lamarck::evolution {
namespace {

struct TrainingCase {
  Network network;
  Examples examples;
};

// Even seeds: sequences of different lengths. Odd seeds: targets for the last
// step only.
TrainingCase random_case(std::uint64_t seed) {
  Rng rng = Rng(seed).split("case");
  Network network = random_network(4 * seed, 10);
  const auto inputs = static_cast<std::int64_t>(network.input_width());
  const auto outputs = static_cast<std::int64_t>(network.output_width());
  const bool only_last = seed % 2 == 1;
  const Tensor targets = only_last ? Tensor::rand({6, outputs}, rng)
                                   : Tensor::rand({6, 5, outputs}, rng);
  Tensor weights = Tensor::rand({6, 5}, rng);
  for (std::int64_t row = 0; row < 6; ++row) {
    for (std::int64_t step = row + 1; !only_last && step < 5; ++step) {
      weights.at({row, step}) = 0;
    }
  }
  return {network,
          Examples(Tensor::randn({6, 5, inputs}, rng), targets, weights)};
}

NeuronBatch make_batch(const Examples& examples) {
  return {examples.inputs, examples.targets, examples.weights};
}

TEST(NeuronAndLayerTraining, LossesAgree) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    const TrainingCase c = random_case(seed);
    const double neurons = neuron_loss(c.network, make_batch(c.examples));
    EXPECT_NEAR(neurons, layer_loss(c.network, c.examples),
                1e-5 * (1 + neurons));
  }
}

// After one step, Adam's first moment is a tenth of the gradient.
TEST(NeuronAndLayerTraining, GradientsAgree) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    const TrainingCase c = random_case(seed);
    const TrainingOptions one_step{.method = TrainingMethod::Adam,
                                   .max_steps = 1,
                                   .epochs = 1,
                                   .batch = 100};
    Network neurons = c.network;
    Network layers = c.network;
    const NeuronBatch batch = make_batch(c.examples);
    const auto first = train_neurons(neurons, batch, nullptr, one_step);
    const auto second = train_layers(layers, c.examples, nullptr, one_step);
    ASSERT_TRUE(first.is_finite && second.is_finite);
    for (std::size_t i = 0; i < neurons.parameters().size(); ++i) {
      const double wanted = double{neurons.parameters().means[i]};
      ASSERT_NEAR(layers.parameters().means[i], wanted,
                  2e-5 * (1 + std::abs(wanted)));
      ASSERT_EQ(neurons.parameters().ages[i], 1);
    }
  }
}

// ---- Sequences

Network remembering(bool in_neurons) {
  Network network = in_neurons ? minimal_network(1, 1, 3)
                               : minimal_layers({.channels = 1}, 1, 3);
  const UnitId id =
      network.add_hidden({.cell = in_neurons ? Cell::Dense : Cell::Gru,
                          .extent = {.channels = in_neurons ? 1u : 3u}});
  network.add_edge(0, id);
  network.add_edge(id, 1);
  network.add_recurrent_edge(id, id);
  Rng rng(1);
  draw_all_parameters(network, rng);
  return network;
}

TEST(TrainingOfSequences, PaddingDoesNotCount) {
  for (const bool in_neurons : {true, false}) {
    Rng rng(2);
    const Tensor inputs = Tensor::randn({2, 4, 1}, rng);
    const Tensor targets = Tensor::randn({2, 4, 1}, rng);
    const Tensor weights = Tensor::from({2, 4}, {1, 1, 0, 0, 1, 1, 1, 1});
    Tensor other_inputs = inputs.clone();
    Tensor other_targets = targets.clone();
    for (const std::int64_t step : {2, 3}) {
      other_inputs.at({0, step, 0}) = 9;
      other_targets.at({0, step, 0}) = -9;
    }
    const Trainer trainer({inputs, targets, weights});
    const Trainer other({other_inputs, other_targets, weights});
    Network a = remembering(in_neurons);
    Network b = a;
    EXPECT_NEAR(trainer.loss(a), other.loss(b), 1e-6);
    const TrainingOptions options{.max_steps = 20, .epochs = 5};
    EXPECT_NEAR(trainer.train(a, options).loss, other.train(b, options).loss,
                1e-5);
  }
}

TEST(TrainingOfSequences, LossIsWeightedMeanOverSteps) {
  for (const bool in_neurons : {true, false}) {
    const Network network = remembering(in_neurons);
    Rng rng(2);
    const Tensor inputs = Tensor::randn({3, 4, 1}, rng);
    const Tensor targets = Tensor::randn({3, 4, 1}, rng);
    const Tensor weights = Tensor::rand({3, 4}, rng);
    const auto outputs = PlainNetwork(network).predict(inputs);
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double miss = outputs[i] - double{targets.data()[i]};
      sum += double{weights.data()[i]} * miss * miss;
      count += double{weights.data()[i]};
    }
    EXPECT_NEAR(Trainer({inputs, targets, weights}).loss(network), sum / count,
                1e-5);
  }
}

TEST(TrainingOfSequences, TargetsWithoutStepsBelongToLastStep) {
  for (const bool in_neurons : {true, false}) {
    const Network network = remembering(in_neurons);
    Rng rng(3);
    const Tensor inputs = Tensor::randn({3, 4, 1}, rng);
    const Tensor last = Tensor::randn({3, 1}, rng);
    Tensor targets = Tensor::zeros({3, 4, 1});
    Tensor weights = Tensor::zeros({3, 4});
    for (std::int64_t row = 0; row < 3; ++row) {
      targets.at({row, 3, 0}) = last.at({row, 0});
      weights.at({row, 3}) = 1;
    }
    EXPECT_NEAR(Trainer({inputs, last}).loss(network),
                Trainer({inputs, targets, weights}).loss(network), 1e-6);
  }
}

}  // namespace
}  // namespace lamarck::evolution
