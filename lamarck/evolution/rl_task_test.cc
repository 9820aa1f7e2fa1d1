#include "lamarck/evolution/rl_task.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/evolution/evolution.h"

namespace lamarck::evolution {
namespace {

using environment::CartPole;
using environment::MountainCar;

// The score over 100 episodes that were not used in the run.
template <environment::Environment E>
double fresh_score(const Network& network) {
  return judged_score(network, policy_game<E>(), 100, Rng(1'000'003));
}

EvolutionOptions options_for(std::uint64_t seed, double target,
                             std::int64_t evaluations) {
  return {.seed = seed,
          .target_metric = target,
          .budget = {.evaluations = evaluations}};
}

// Gymnasium's threshold for CartPole-v1.
constexpr double kSolved = 475.0 / 500;

// The number of seeds whose policy solves new episodes.
std::uint64_t poles_balanced(std::uint64_t seeds) {
  std::uint64_t solved = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const EvolutionResult result =
        Evolution{.network = minimal_network(4, 2, seed),
                  .task = RLTask<CartPole>(),
                  .options = options_for(seed, 0.99, 20)}
            .run()
            .value();
    solved += fresh_score<CartPole>(result.network) >= kSolved ? 1 : 0;
  }
  return solved;
}

TEST(RLTask, BalancesPoleFromMinimalNetwork) {
  EXPECT_GE(poles_balanced(5), 4u);
}

TEST(SlowRLTask, BalancesPoleFromMostSeeds) {
  EXPECT_GE(poles_balanced(40), 38u);
}

TEST(RLTask, ResultDoesNotDependOnThreadCount) {
  std::vector<Network> networks;
  for (const std::size_t threads : {1u, 3u}) {
    EvolutionOptions options = options_for(5, 2, 6);
    options.threads = threads;
    options.offspring = 3;
    networks.push_back(
        Evolution{.network = minimal_network(2, 3, 5),
                  .task = RLTask<MountainCar>({.max_updates = 5}),
                  .options = options}
            .run()
            .value()
            .network);
  }
  EXPECT_EQ(networks[0].parameters().values, networks[1].parameters().values);
}

TEST(RLTask, TrainsPoliciesWithLayers) {
  const EvolutionResult result =
      Evolution{.network = minimal_layers({.channels = 4}, 2, 1),
                .task = RLTask<CartPole>(
                    {.episodes = 4, .max_updates = 10, .judged_episodes = 2}),
                .options = {.target_metric = 2,
                            .grain = Grain::Layer,
                            .budget = {.evaluations = 2}}}
          .run()
          .value();
  EXPECT_GT(fresh_score<CartPole>(result.network), 0.1);
}

TEST(RLTask, TrainsRecurrentPolicies) {
  Network network = minimal_network(4, 2, 3);
  const UnitId output = network.nodes_of(Role::Output)[0];
  network.add_recurrent_edge(output, output);
  const RLTask<CartPole> task({.remembers = true});
  task.prepare(network);
  const TrainingOutcome outcome = task.train_until_converged(network, {});

  EXPECT_TRUE(task.is_sequential());
  EXPECT_LT(outcome.check_loss, -0.9);
}

TEST(RLTask, RejectsIncompatibleNetwork) {
  Network network = minimal_network(3, 2);
  EXPECT_THROW(RLTask<CartPole>().prepare(network), LogicError);
}

TEST(RLTask, RejectsInvalidOptions) {
  EXPECT_THROW(RLTask<CartPole>({.episodes = 0}), LogicError);
  EXPECT_THROW(RLTask<CartPole>({.discount = 1}), LogicError);
}

TEST(ActorCriticTask, BalancesPoleWithActorAndCritic) {
  constexpr std::uint64_t kSeeds = 5;
  std::uint64_t solved = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const MultiEvolutionResult result =
        MultiEvolution{.networks = {minimal_network(4, 2, seed),
                                    minimal_network(4, 1, seed)},
                       .task = ActorCriticTask<CartPole>(),
                       .options = options_for(seed, 0.99, 20)}
            .run()
            .value();
    ASSERT_EQ(result.networks.size(), 2u);
    solved += fresh_score<CartPole>(result.networks[0]) >= kSolved ? 1 : 0;
  }
  EXPECT_GE(solved, kSeeds - 1);
}

TEST(ActorCriticTask, RejectsActorWithoutCritic) {
  std::vector<Network> alone = {minimal_network(4, 2)};
  EXPECT_THROW(ActorCriticTask<CartPole>().prepare(std::span<Network>(alone)),
               LogicError);
}

TEST(SlowRLTask, SolvesMountainCarWithEnergyAsPotential) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const EvolutionResult result =
        Evolution{.network = minimal_network(2, 3, seed),
                  .task = RLTask<MountainCar>(),
                  .options = options_for(seed, 0.95, 20)}
            .run()
            .value();
    // The car arrives within 120 steps on average.
    EXPECT_GT(fresh_score<MountainCar>(result.network), 0.8) << seed;
  }
}

TEST(SlowActorCriticTask, SwingsUpPendulum) {
  const MultiEvolutionResult result =
      MultiEvolution{
          .networks = {minimal_network(3, 1, 3), minimal_network(3, 1, 3)},
          .task = ActorCriticTask<environment::Pendulum>(),
          .options = options_for(3, 0.8, 40)}
          .run()
          .value();
  EXPECT_GT(fresh_score<environment::Pendulum>(result.networks[0]), 0.6);
}

}  // namespace
}  // namespace lamarck::evolution
