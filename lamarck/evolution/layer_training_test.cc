#include <gtest/gtest.h>

#include "lamarck/evolution/training.h"

namespace lamarck::evolution {
namespace {

// 6 x 6 images, classified by whether the upper half is brighter.
Examples halves(std::int64_t count, std::uint64_t seed) {
  Rng rng(seed);
  Tensor images = Tensor::rand({count, 36}, rng);
  Tensor labels = Tensor::zeros({count, 2});
  for (std::int64_t row = 0; row < count; ++row) {
    double upper = 0;
    double lower = 0;
    for (std::int64_t i = 0; i < 18; ++i) {
      upper += double{images.at({row, i})};
      lower += double{images.at({row, i + 18})};
    }
    labels.at({row, upper > lower ? 1 : 0}) = 1;
  }
  return {images, labels};
}

Network image_network(std::uint64_t seed) {
  Network network = minimal_layers({1, 6, 6}, 2, seed);
  const UnitId id =
      network.add_hidden({.cell = Cell::Conv,
                          .activation = Activation::Relu,
                          .kernel = 3,
                          .pool = 2,
                          .extent = {.channels = 3, .height = 3, .width = 3}});
  network.add_edge(network.nodes_of(Role::Input)[0], id);
  network.add_edge(id, network.nodes_of(Role::Output)[0]);
  network.set_head(Loss::CrossEntropy);
  Rng rng(seed);
  for (const NetworkEdge& edge : network.edges()) {
    draw_weights(network, edge, rng);
  }
  return network;
}

TEST(LayerTraining, KeepsWeightsWithLowestCheckLoss) {
  const Trainer trainer(halves(300, 1), halves(100, 2));
  const Trainer judge(halves(100, 2));
  Network network = image_network(3);
  const double before = judge.loss(network);

  const TrainingOutcome outcome =
      trainer.train(network, {.epochs = 20, .layer_rate = 0.02f});

  EXPECT_LT(outcome.check_loss, 0.7 * before);
  EXPECT_LT(outcome.loss, before);
  EXPECT_LE(outcome.steps, 20 * 5);
  EXPECT_NEAR(judge.loss(network), outcome.check_loss, 1e-5);
}

TEST(LayerTraining, IsDeterministicForSameSeed) {
  const Trainer trainer(halves(130, 1), halves(70, 2));
  Network first = image_network(3);
  Network second = first;
  trainer.train(first, {.context = {.seed = 5}, .epochs = 3});
  trainer.train(second, {.context = {.seed = 5}, .epochs = 3});
  EXPECT_EQ(first.parameters(), second.parameters());
}

TEST(LayerTraining, NeverEndsWorseThanInheritedWeights) {
  const Trainer trainer(halves(300, 1), halves(100, 2));
  Network network = image_network(3);
  double last = trainer.train(network, {.epochs = 4}).check_loss;
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const double next =
        trainer.train(network, {.context = {.seed = seed}, .epochs = 1})
            .check_loss;
    EXPECT_LE(next, last);
    last = next;
  }
}

TEST(LayerTraining, HalvesRateForInheritedWeightsWithFewEpochs) {
  const Trainer trainer(halves(64, 1));
  Network fresh = image_network(3);
  Network trained = fresh;
  for (float& age : trained.parameters().ages) age = 1;
  const std::vector<float> before = fresh.parameters().values;
  trainer.train(fresh, {.epochs = 1});
  trainer.train(trained, {.epochs = 1});
  for (std::size_t i = 0; i < before.size(); ++i) {
    const float step = fresh.parameters().values[i] - before[i];
    EXPECT_NEAR(trained.parameters().values[i], before[i] + step / 2, 1e-5);
  }
}

}  // namespace
}  // namespace lamarck::evolution
