#include "lamarck/evolution/training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lamarck/evolution/internal/owned_parameters.h"

namespace lamarck::evolution {
namespace {

constexpr float kFloatNan = std::numeric_limits<float>::quiet_NaN();

// Two inputs, four hidden units and an output. in_layers computes the same
// function with layers instead of neurons.
Network in_neurons() {
  Network network = minimal_network(2, 1);
  network.remove_edge(0, 2, false);
  network.remove_edge(1, 2, false);
  Rng rng(5);
  for (int i = 0; i < 4; ++i) {
    const UnitId id = network.add_hidden({});
    network.add_edge(0, id);
    network.add_edge(1, id);
    network.add_edge(id, 2);
  }
  draw_all_parameters(network, rng);
  return network;
}

Network in_layers() {
  const Network neurons = in_neurons();
  Network layers;
  const UnitId input = layers.add_input({.channels = 2});
  const UnitId output = layers.add_output(1, Activation::Identity);
  const UnitId hidden = layers.add_hidden({.extent = {.channels = 4}});
  layers.add_edge(input, hidden);
  layers.add_edge(hidden, output);
  const auto units = neurons.hidden_nodes();
  const auto own = [&](UnitId id) {
    return neurons.own_parameters(neurons.node(id))[0];
  };
  const auto weight = [&](UnitId from, UnitId to) {
    return neurons.weights(neurons.edge(from, to, false))[0];
  };
  for (std::size_t i = 0; i < units.size(); ++i) {
    layers.own_parameters(layers.node(hidden))[i] = own(units[i]);
    for (const UnitId from : {0u, 1u}) {
      layers.weights(layers.edge(input, hidden, false))[from * 4 + i] =
          weight(from, units[i]);
    }
    layers.weights(layers.edge(hidden, output, false))[i] = weight(units[i], 2);
  }
  layers.own_parameters(layers.node(output))[0] = own(2);
  return layers;
}

Examples product_examples(std::uint64_t seed, std::int64_t rows = 40) {
  Rng rng(seed);
  const Tensor inputs = Tensor::randn({rows, 2}, rng);
  Tensor targets = Tensor::zeros({rows, 1});
  for (std::int64_t i = 0; i < rows; ++i) {
    targets.at({i, 0}) = inputs.at({i, 0}) * inputs.at({i, 1});
  }
  return {inputs, targets};
}

TrainingOptions short_options() {
  return {.max_steps = 60, .epochs = 12, .batch = 16};
}

class Training : public testing::TestWithParam<bool> {
 protected:
  static Network network() { return GetParam() ? in_neurons() : in_layers(); }
};

TEST_P(Training, NeuronsAndLayersHaveSameLoss) {
  const Examples examples = product_examples(1);
  const Trainer trainer(examples);
  EXPECT_NEAR(trainer.loss(in_neurons()), trainer.loss(in_layers()), 1e-5);
}

TEST_P(Training, LossFalls) {
  const Trainer trainer(product_examples(1));
  Network network = Training::network();
  const double before = trainer.loss(network);
  const TrainingOutcome outcome = trainer.train(network, short_options());
  network.check();
  EXPECT_TRUE(outcome.is_finite);
  EXPECT_LT(outcome.loss, 0.9 * before);
  EXPECT_EQ(outcome.loss, outcome.check_loss);
  EXPECT_NEAR(outcome.loss, trainer.loss(network), 1e-6);
  EXPECT_GT(outcome.steps, 0);
}

TEST_P(Training, IsDeterministic) {
  const Trainer trainer(product_examples(1), product_examples(2));
  Network a = network();
  Network b = network();
  const TrainingOutcome first = trainer.train(a, short_options());
  const TrainingOutcome second = trainer.train(b, short_options());
  EXPECT_EQ(a.parameters(), b.parameters());
  EXPECT_EQ(first.loss, second.loss);
  EXPECT_EQ(first.check_loss, second.check_loss);
  EXPECT_EQ(first.steps, second.steps);
}

// The targets of the check rows are unrelated to those of the training rows, so
// training raises the check loss.
TEST_P(Training, KeepsWeightsWithLowestCheckLoss) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Rng rng(seed);
    const Examples check(Tensor::randn({20, 2}, rng),
                         Tensor::randn({20, 1}, rng));
    const Trainer trainer(product_examples(seed), check);
    const Trainer judge(check);
    Network network = Training::network();
    const double before = judge.loss(network);
    const TrainingOutcome outcome = trainer.train(network, short_options());
    EXPECT_LE(outcome.check_loss, before + 1e-6);
    EXPECT_NEAR(outcome.check_loss, judge.loss(network), 1e-6);
    EXPECT_NEAR(outcome.loss, trainer.loss(network), 1e-6);
  }
}

void expect_refused(const Trainer& trainer, Network network) {
  const NetworkParameters before = network.parameters();
  const TrainingOutcome outcome = trainer.train(network, short_options());
  EXPECT_FALSE(outcome.is_finite);
  EXPECT_EQ(network.parameters(), before);
}

TEST_P(Training, NonFiniteDataLeavesNetworkUnchanged) {
  Examples broken = product_examples(3);
  broken.inputs = broken.inputs.clone();
  broken.inputs.at({7, 1}) = kFloatNan;
  expect_refused(Trainer(broken), network());
  expect_refused(Trainer(broken, product_examples(4)), network());
  expect_refused(Trainer(product_examples(4), broken), network());
  Examples endless = product_examples(3);
  endless.targets.at({3, 0}) = std::numeric_limits<float>::infinity();
  expect_refused(Trainer(endless), network());
}

TEST_P(Training, StopsWhenAsked) {
  const Trainer trainer(product_examples(1));
  TrainingOptions options = short_options();
  options.context.convergence = {.loss_tolerance = 0, .grad_tolerance = 0};
  options.max_steps = 5000;
  options.epochs = 1000;
  int asked = 0;
  options.context.should_stop = [&] { return ++asked == 3; };
  Network network = Training::network();
  const double before = trainer.loss(network);
  const TrainingOutcome outcome = trainer.train(network, options);
  EXPECT_TRUE(outcome.was_stopped);
  EXPECT_TRUE(outcome.is_finite);
  EXPECT_EQ(asked, 3);
  EXPECT_LT(outcome.steps, 200);
  EXPECT_LE(outcome.loss, before);
}

TEST_P(Training, UnreachableBarEndsTrainingEarly) {
  const Trainer trainer(product_examples(1));
  TrainingOptions options = short_options();
  options.max_steps = 1000;
  options.context.convergence = {.loss_tolerance = 0, .grad_tolerance = 0};
  options.context.bar = -1e9;
  Network network = Training::network();
  const TrainingOutcome outcome = trainer.train(network, options);
  EXPECT_TRUE(outcome.was_stopped_early);
  EXPECT_TRUE(std::isfinite(outcome.check_loss));
}

TEST_P(Training, ClampsBatchToNumberOfRows) {
  for (const std::size_t batch : {0u, 1000u}) {
    const Trainer trainer(product_examples(1));
    TrainingOptions options = short_options();
    options.batch = batch;
    Network network = Training::network();
    EXPECT_TRUE(trainer.train(network, options).is_finite);
  }
}

TEST_P(Training, WeightsScaleLossOfRows) {
  const Examples rows = product_examples(1, 3);
  const Examples weighted(rows.inputs, rows.targets,
                          Tensor::from({3}, {1, 2, 0}));
  const auto row = [](const Tensor& from, std::int64_t i) {
    return from.slice(0, i, i + 1);
  };
  const auto twice_the_second = [&](const Tensor& from) {
    return concat(std::vector{row(from, 0), row(from, 1), row(from, 1)}, 0);
  };
  const Examples written_out(twice_the_second(rows.inputs),
                             twice_the_second(rows.targets));
  EXPECT_NEAR(Trainer(weighted).loss(network()),
              Trainer(written_out).loss(network()), 1e-6);
}

TEST_P(Training, UnitScoresExistForNeuronsOnly) {
  const Trainer trainer(product_examples(1));
  const Network network = Training::network();
  const auto scores = trainer.unit_scores(network, network.hidden_nodes());
  EXPECT_EQ(scores.size(), GetParam() ? 4u : 0u);
  for (const double score : scores) EXPECT_GE(score, 0);
}

INSTANTIATE_TEST_SUITE_P(Forms, Training, testing::Bool(),
                         [](const auto& each) {
                           return each.param ? "Neurons" : "Layers";
                         });

// ---- L-BFGS, the automatic choice for neurons with few rows

TEST(TrainingByLbfgs, LowersLossDeterministically) {
  const Trainer trainer(product_examples(1, 12));
  Network a = in_neurons();
  Network b = in_neurons();
  const double before = trainer.loss(a);
  const TrainingOutcome outcome = trainer.train(a, {});
  trainer.train(b, {.method = TrainingMethod::Lbfgs});
  EXPECT_LT(outcome.loss, 0.5 * before);
  EXPECT_NEAR(outcome.loss, trainer.loss(a), 1e-6);
  EXPECT_EQ(a.parameters(), b.parameters());
}

TEST(TrainingByLbfgs, NeverRaisesCheckLoss) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Rng rng(seed);
    const Examples check(Tensor::randn({10, 2}, rng),
                         Tensor::randn({10, 1}, rng));
    const Trainer trainer(product_examples(seed, 12), check);
    const Trainer judge(check);
    Network network = in_neurons();
    const double before = judge.loss(network);
    const TrainingOutcome outcome =
        trainer.train(network, {.method = TrainingMethod::Lbfgs});
    EXPECT_LE(outcome.check_loss, before);
    EXPECT_NEAR(outcome.check_loss, judge.loss(network), 1e-6);
    EXPECT_NEAR(outcome.loss, trainer.loss(network), 1e-6);
  }
}

TEST(TrainingByLbfgs, NonFiniteDataLeavesNetworkUnchanged) {
  Examples broken = product_examples(3, 10);
  broken.inputs.at({7, 1}) = kFloatNan;
  const Examples whole = product_examples(4, 10);
  const auto expect_kept = [](const Trainer& trainer) {
    Network network = in_neurons();
    const NetworkParameters before = network.parameters();
    const TrainingOutcome outcome =
        trainer.train(network, {.method = TrainingMethod::Lbfgs});
    EXPECT_FALSE(outcome.is_finite);
    EXPECT_EQ(network.parameters(), before);
  };
  expect_kept(Trainer(broken));
  expect_kept(Trainer(broken, whole));
  expect_kept(Trainer(whole, broken));
}

TEST(TrainingByLbfgs, StopsWhenAsked) {
  const Trainer trainer(product_examples(1, 30));
  TrainingOptions options{.method = TrainingMethod::Lbfgs, .max_steps = 5000};
  options.context.convergence = {.loss_tolerance = 0, .grad_tolerance = 0};
  options.context.should_stop = [] { return true; };
  Network network = in_neurons();
  const double before = trainer.loss(network);
  const TrainingOutcome outcome = trainer.train(network, options);
  EXPECT_TRUE(outcome.was_stopped);
  EXPECT_TRUE(outcome.is_finite);
  EXPECT_LT(outcome.steps, 500);
  EXPECT_LT(outcome.loss, before);
}

}  // namespace
}  // namespace lamarck::evolution
