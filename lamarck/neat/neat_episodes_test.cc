#include "lamarck/neat/neat_episodes.h"

#include <vector>
#include <gtest/gtest.h>

#include "lamarck/neat/neat_pole_tasks.h"

namespace lamarck::neat {
namespace {

using environment::CartPole;
using environment::CartPoleLanes;

// Returns a genome with hidden nodes and optionally recurrent connections.
Genome grown_genome(std::size_t inputs, bool recurrent, std::uint64_t seed) {
  InnovationTracker tracker(Genome::node_count(inputs, 1));
  Genome genome = Genome::minimal(inputs, 1, tracker);
  Rng rng(seed);
  genome.randomize_weights(2, rng);
  const NeatOptions options{.recurrent_share = recurrent ? 0.5 : 0};
  for (int i = 0; i < 3; ++i) {
    genome.mutate_add_node(options, tracker, rng);
    genome.mutate_add_connection(options, tracker, rng);
  }
  return genome;
}

std::vector<CartPole::State> cart_pole_starts(std::size_t count) {
  std::vector<CartPole::State> starts(count);
  Rng rng(1);
  for (CartPole::State& start : starts) {
    for (double& value : start) value = rng.uniform(-0.1, 0.1);
  }
  return starts;
}

int sequential_steps(FlatNetwork& network, const CartPole::State& start) {
  CartPole pole;
  pole.set_state(start);
  network.reset();
  while (!pole.is_done()) {
    CartPole::State inputs = pole.state();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] *= environment::kCartPoleScale[i];
    }
    pole.step(network.step(inputs)[0] > 0.5 ? 1 : 0);
  }
  return pole.steps();
}

TEST(NeatEpisodes, MatchSequentialEpisodes) {
  const auto starts = cart_pole_starts(50);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FlatNetwork network(grown_genome(4, seed % 2 == 0, seed));
    int expected = 0;
    for (const auto& start : starts)
      expected += sequential_steps(network, start);
    int total = 0;
    std::size_t episodes = 0;
    NeatEpisodes<CartPoleLanes>(network, CartPole::kMaxSteps)
        .play(starts, [&](int steps, bool failed) {
          EXPECT_TRUE(failed || steps == CartPole::kMaxSteps);
          total += steps;
          ++episodes;
          return true;
        });
    EXPECT_EQ(episodes, starts.size()) << "seed " << seed;
    EXPECT_EQ(total, expected) << "seed " << seed;
  }
}

TEST(NeatEpisodes, StopWhenCallbackReturnsFalse) {
  FlatNetwork network(grown_genome(4, false, 1));
  int episodes = 0;
  NeatEpisodes<CartPoleLanes>(network, 10)
      .play(cart_pole_starts(100), [&](int, bool) { return ++episodes < 7; });
  EXPECT_EQ(episodes, 7);
}

TEST(NeatEpisodes, PlayNothingWithoutStarts) {
  FlatNetwork network(grown_genome(4, false, 1));
  NeatEpisodes<CartPoleLanes>(network, 10).play({}, [](int, bool) {
    ADD_FAILURE();
    return true;
  });
}

TEST(CartPoleLanes, MatchSingleCartPole) {
  const auto starts = cart_pole_starts(kLanes);
  CartPoleLanes lanes;
  std::array<CartPole, kLanes> poles;
  std::array<double, kLanes> outputs{};
  for (std::size_t k = 0; k < kLanes; ++k) {
    poles[k].set_state(starts[k]);
    lanes.set_state(k, starts[k]);
    outputs[k] = k % 3 == 0 ? 0.9 : 0.1;
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(lanes.step(outputs), 0u);
    for (std::size_t k = 0; k < kLanes; ++k) {
      poles[k].step(outputs[k] > 0.5 ? 1 : 0);
      EXPECT_EQ(lanes.state(k), poles[k].state()) << "lane " << k;
    }
  }
}

TEST(DoublePoleLanes, MatchSingleDoublePole) {
  environment::DoublePoleLanes lanes;
  std::array<environment::DoublePole, kLanes> carts;
  std::array<double, kLanes> outputs{};
  Rng rng(1);
  for (std::size_t k = 0; k < kLanes; ++k) {
    environment::DoublePole::State start{};
    for (double& value : start) value = rng.uniform(-0.05, 0.05);
    carts[k].set_state(start);
    lanes.set_state(k, start);
    outputs[k] = rng.uniform(0.4, 0.6);
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(lanes.step(outputs), 0u);
    for (std::size_t k = 0; k < kLanes; ++k) {
      carts[k].step(20 * (outputs[k] - 0.5));
      EXPECT_EQ(lanes.state(k), carts[k].state()) << "lane " << k;
    }
  }
}

TEST(DoublePoleLanes, CountFailedLanes) {
  environment::DoublePoleLanes lanes;
  lanes.set_state(3, {3, 0, 0, 0, 0, 0});
  lanes.set_state(7, {0, 0, 0, 0, 0.7, 0});
  EXPECT_EQ(lanes.step(std::vector<double>(kLanes, 0.5)), 2u);
  EXPECT_TRUE(lanes.has_failed(3));
  EXPECT_TRUE(lanes.has_failed(7));
  EXPECT_FALSE(lanes.has_failed(0));
}

}  // namespace
}  // namespace lamarck::neat
