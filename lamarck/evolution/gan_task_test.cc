#include "lamarck/evolution/gan_task.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lamarck/base/error.h"
#include "lamarck/evolution/energy_distance.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/internal/generator_learner.h"

namespace lamarck::evolution {
namespace {

// Points of normally distributed clouds on a circle of radius 2.
Tensor clouds(std::int64_t points, std::uint64_t count, Rng& rng) {
  Tensor rows = Tensor::scalar(0.2f) * Tensor::randn({points, 2}, rng);
  for (std::int64_t i = 0; i < points; ++i) {
    const double angle = 2 * std::numbers::pi *
                         static_cast<double>(rng.below(count)) /
                         static_cast<double>(count);
    rows.at({i, 0}) += static_cast<float>(2 * std::cos(angle));
    rows.at({i, 1}) += static_cast<float>(2 * std::sin(angle));
  }
  return rows;
}

struct CloudData {
  explicit CloudData(std::uint64_t count) {
    Rng rng(3);
    real = clouds(1000, count, rng);
    held_out = clouds(400, count, rng);
    fresh = clouds(400, count, rng);
  }

  Tensor real;
  Tensor held_out;
  Tensor fresh;  // Not used by the run.

  double score(const Network& generator) const {
    Rng rng(17);
    return similarity(generate_rows(generator, 400, rng), fresh);
  }
};

TEST(GeneratorLearner, LossIsThatOfDiscriminatorOnGeneratedRows) {
  Rng rng(1);
  Network discriminator = gan_discriminator(2, 4, 1);
  const Network generator = minimal_network(3, 2, 2);
  const Tensor noise = Tensor::randn({7, 3}, rng);
  const Tensor blur = Tensor::randn({7, 2}, rng);
  const Tensor probabilities =
      predict(discriminator, predict(generator, noise) + blur);
  double expected = 0;
  for (const float p : probabilities.data())
    expected -= std::log(double{p}) / 7;

  GeneratorLearner learner(generator, discriminator, {.rate = 0.01f});
  const double first = learner.step(noise, blur, discriminator);
  EXPECT_NEAR(first, expected, 1e-4);
  EXPECT_LT(learner.step(noise, blur, discriminator), first);
}

TEST(GanTask, TrainingMovesGeneratedRowsTowardsData) {
  const CloudData data(2);
  const GanTask task(data.real, data.held_out, gan_discriminator(2, 8));
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Network network = minimal_network(2, 2, seed);
    task.prepare(network);
    const double before = data.score(network);
    const TrainingOutcome outcome =
        task.train_until_converged(network, {.seed = seed});

    EXPECT_GT(data.score(network), before + 0.05) << seed;
    EXPECT_GT(data.score(network), 0.65) << seed;
    EXPECT_LT(outcome.check_loss, 0.35) << seed;
  }
}

TEST(GanTask, DoesNotModifyGivenDiscriminator) {
  const CloudData data(2);
  const GanTask task(data.real, data.held_out, gan_discriminator(2, 4),
                     {.max_updates = 20, .first_updates = 5});
  Network first = minimal_network(2, 2, 1);
  Network second = first;
  task.train_until_converged(first, {.seed = 4});
  task.train_until_converged(second, {.seed = 4});
  EXPECT_EQ(first.parameters(), second.parameters());
}

TEST(GanTask, RejectsIncompatibleNetworks) {
  const CloudData data(2);
  EXPECT_THROW(GanTask(data.real, data.held_out, gan_discriminator(3, 4)),
               LogicError);
  const GanTask task(data.real, data.held_out, gan_discriminator(2, 4));
  Network three = minimal_network(2, 3);
  EXPECT_THROW(task.prepare(three), LogicError);
  Network layers = minimal_layers({.channels = 2}, 2);
  EXPECT_THROW(task.prepare(layers), LogicError);
}

// A linear map of one cloud of noise cannot produce two clouds, so the
// generator must grow hidden nodes.
TEST(SlowGanTask, EvolvesGeneratorOfTwoClouds) {
  const CloudData data(2);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const EvolutionResult result =
        Evolution{
            .network = minimal_network(2, 2, seed),
            .task = GanTask(data.real, data.held_out, gan_discriminator(2, 16)),
            .options = {.seed = seed,
                        .target_metric = 0.95,
                        .budget = {.evaluations = 30}}}
            .run()
            .value();
    EXPECT_GT(data.score(result.network), 0.88) << seed;
    EXPECT_GT(result.network.hidden_count(), 0u) << seed;
  }
}

TEST(SlowGanTeamTask, EvolvesGeneratorAndDiscriminatorTogether) {
  const CloudData data(2);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const MultiEvolutionResult result =
        MultiEvolution{.networks = {minimal_network(2, 2, seed),
                                    gan_discriminator(2, 8, seed)},
                       .task = GanTeamTask(data.real, data.held_out),
                       .options = {.seed = seed,
                                   .target_metric = 0.95,
                                   .budget = {.evaluations = 40}}}
            .run()
            .value();
    EXPECT_GT(data.score(result.networks[0]), 0.85) << seed;
  }
}

}  // namespace
}  // namespace lamarck::evolution
