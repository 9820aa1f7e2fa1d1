#include "lamarck/evolution/policy_game.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>

#include "lamarck/evolution/rl_task.h"

namespace lamarck::evolution {
namespace {

TEST(PolicyGame, RepeatsEpisodeFromSeed) {
  const PolicyGame game = policy_game<environment::MountainCar>();
  Network network = minimal_network(2, 3, 5);
  network.set_head(Loss::CrossEntropy);
  NetworkStepper stepper(network);
  Rng first(7);
  Rng second(7);
  const Episode a = game.play(stepper, 0.99, 0, first);
  const Episode b = game.play(stepper, 0.99, 0, second);

  EXPECT_EQ(a.choices, b.choices);
  EXPECT_EQ(a.rewards, b.rewards);
  EXPECT_EQ(a.observations.size(), 2 * a.steps());
  EXPECT_EQ(a.outputs.size(), 3 * a.steps());
}

// A point that must reach a goal, which is a setting, in two dimensions.
class Reaching {
 public:
  static constexpr environment::VectorActions kActionKind{.size = 2,
                                                          .bound = 0.5};
  static constexpr std::size_t kObservations = 2;
  static constexpr int kMaxSteps = 10;

  explicit Reaching(std::array<double, 2> goal) : goal_(goal) {}

  void reset(Rng& /*rng*/) {
    at_ = {};
    steps_ = 0;
  }
  double step(std::span<const double> action) {
    ++steps_;
    double off = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      at_[i] += action[i];
      off += std::abs(goal_[i] - at_[i]);
    }
    return -off;
  }
  bool is_done() const { return steps_ >= kMaxSteps; }
  int steps() const { return steps_; }
  std::array<double, 2> observation() const {
    return {goal_[0] - at_[0], goal_[1] - at_[1]};
  }

 private:
  std::array<double, 2> goal_;
  std::array<double, 2> at_{};
  int steps_ = 0;
};

TEST(PolicyGame, TakesEnvironmentByValueAndActionsOfSeveralNumbers) {
  const PolicyGame game = policy_game(Reaching({1, -2}));
  EXPECT_EQ(game.outputs, 2u);
  // Each output is the distance along its axis, so it moves by the bound of 0.5
  // until it arrives: 2.5 + 2 + 1.5 + ... for both axes.
  Network network = minimal_network(2, 2);
  for (float& value : network.parameters().values) value = 0;
  const auto inputs = network.nodes_of(Role::Input);
  const auto outputs = network.nodes_of(Role::Output);
  for (std::size_t i = 0; i < 2; ++i) {
    network.weights(network.edge(inputs[i], outputs[i], false))[0] = 2;
  }
  NetworkStepper stepper(network);
  Rng rng(1);
  EXPECT_NEAR(game.best_return(stepper, rng), -(0.5 + 1.5 + 1 + 0.5), 1e-6);
  const Episode episode = game.play(stepper, 1, 0.1, rng);
  EXPECT_EQ(episode.choices.size(), 20u);
}

TEST(RLTask, LearnsContinuousActionsOfSeveralNumbers) {
  const RLTask task(Reaching({0.5, -1}),
                    {.episodes = 8, .max_updates = 60, .rate = 0.05f});
  Network network = minimal_network(2, 2, 1);
  task.prepare(network);
  Rng rng(1);
  const double before = task.evaluate(network, rng);
  Network trained = network;
  task.train_until_converged(trained, {});
  EXPECT_GT(task.evaluate(trained, rng), before + 2);
}

TEST(PolicyGame, ReturnsExcludePotential) {
  const PolicyGame game = policy_game<environment::MountainCar>();
  Network network = minimal_network(2, 3, 5);
  network.set_head(Loss::CrossEntropy);
  for (float& value : network.parameters().values) value = 0;
  NetworkStepper stepper(network);
  Rng rng(1);
  // With all weights 0 it always drives left and never arrives.
  EXPECT_EQ(game.best_return(stepper, rng), -200);
  EXPECT_EQ(game.score(-200), 0);
}

}  // namespace
}  // namespace lamarck::evolution
