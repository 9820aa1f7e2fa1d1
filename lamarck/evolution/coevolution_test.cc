#include "lamarck/evolution/coevolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lamarck/base/error.h"
#include "lamarck/evolution/network_stepper.h"
#include "lamarck/evolution/pursuit_contest.h"
#include "lamarck/evolution/training.h"

namespace lamarck::evolution {
namespace {

Coevolution chase(std::uint64_t seed, std::int64_t generations) {
  return {.populations = {PursuitContest::beginner(seed),
                          PursuitContest::beginner(seed + 100)},
          .contest = PursuitContest::chase,
          .options = {.seed = seed, .budget = {.generations = generations}}};
}

struct Span {
  std::int64_t begin;
  std::int64_t end;

  bool contains(const PastChampion& champion) const {
    return champion.generation >= begin && champion.generation < end;
  }
};

// The mean score of pursuers of some generations against evaders of others.
double pursuit(const CoevolutionResult& result, Span pursuers, Span evaders) {
  double sum = 0;
  int count = 0;
  for (const PastChampion& pursuer : result.halls[0]) {
    for (const PastChampion& evader : result.halls[1]) {
      if (!pursuers.contains(pursuer) || !evaders.contains(evader)) continue;
      for (std::uint64_t start = 0; start < 4; ++start) {
        Rng rng(start);
        sum +=
            PursuitContest::chase(pursuer.network, evader.network, rng).first;
        ++count;
      }
    }
  }
  return sum / count;
}

void expect_progress(std::uint64_t seed, std::int64_t generations) {
  const CoevolutionResult result = chase(seed, generations).run();
  const Span early{0, generations / 4};
  const Span late{generations - generations / 4, generations};
  EXPECT_GT(pursuit(result, late, early), pursuit(result, early, early))
      << "pursuers, seed " << seed;
  EXPECT_LT(pursuit(result, late, late), pursuit(result, late, early))
      << "evaders, seed " << seed;
}

TEST(Coevolution, LaterChampionsBeatEarlierOnes) { expect_progress(2, 24); }

TEST(SlowCoevolution, LaterChampionsBeatEarlierOnes) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) expect_progress(seed, 40);
}

TEST(Coevolution, ResultDoesNotDependOnThreadCount) {
  std::vector<CoevolutionResult> results;
  for (const std::size_t threads : {1u, 3u}) {
    Coevolution coevolution = chase(3, 4);
    coevolution.options.threads = threads;
    results.push_back(coevolution.run());
  }
  for (std::size_t side = 0; side < 2; ++side) {
    EXPECT_EQ(results[0].champions[side].parameters().values,
              results[1].champions[side].parameters().values);
    EXPECT_EQ(results[0].history[3][side].mean,
              results[1].history[3][side].mean);
  }
}

// A network with a constant input stands for a point in the plane.
struct Point {
  double x;
  double y;

  double length() const { return std::hypot(x, y); }
};
Point make_point(const Network& network) {
  const std::array<float, 1> one = {1};
  NetworkStepper stepper(network);
  const std::span<const float> out = stepper.step(one);
  return {double{out[0]}, double{out[1]}};
}

Network point_network(std::uint64_t seed) {
  Network network = minimal_network(1, 2, seed);
  for (const UnitId id : network.nodes_of(Role::Output)) {
    network.set_activation(id, Activation::Tanh);
  }
  return network;
}

// A cyclic game: the point that is ahead around the origin wins, and by more
// the farther out both are, so every strategy can be beaten. Distance from the
// origin costs a little, so only the origin cannot be beaten by anyone.
ContestScores play_cyclic_game(const Network& a, const Network& b,
                               Rng& /*rng*/) {
  const Point p = make_point(a);
  const Point q = make_point(b);
  const double ahead = q.x * p.y - q.y * p.x;
  return ContestScores::zero_sum(std::clamp(
      0.5 + 0.4 * ahead + 0.1 * (q.length() - p.length()), 0.0, 1.0));
}

Coevolution cyclic_game(std::uint64_t seed, std::size_t past_opponents) {
  return {.populations = {point_network(seed), point_network(seed + 100)},
          .contest = play_cyclic_game,
          .options = {.seed = seed,
                      .population = 12,
                      .opponents = 3,
                      .past_opponents = past_opponents,
                      .hall = 100,
                      .topology_chance = 0,
                      .budget = {.generations = 100}}};
}

// The mean distance of the last champions from the origin.
double distance(const CoevolutionResult& result) {
  double sum = 0;
  for (const std::vector<PastChampion>& hall : result.halls) {
    for (std::size_t i = hall.size() - 10; i < hall.size(); ++i) {
      sum += make_point(hall[i].network).length() / 20;
    }
  }
  return sum;
}

TEST(SlowCoevolution, HallOfFameBreaksCyclesMoreOften) {
  constexpr double kSafe = 0.1;
  int without_hall = 0;
  int with_hall = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    without_hall += distance(cyclic_game(seed, 0).run()) < kSafe ? 1 : 0;
    with_hall += distance(cyclic_game(seed, 20).run()) < kSafe ? 1 : 0;
  }
  EXPECT_GE(with_hall, without_hall + 10);
}

TEST(Coevolution, HallSamplesChampionsOfWholeRunWithinLimit) {
  Coevolution coevolution = cyclic_game(5, 4);
  coevolution.options.hall = 10;
  coevolution.options.budget.generations = 40;
  const CoevolutionResult result = coevolution.run();

  for (const std::vector<PastChampion>& hall : result.halls) {
    EXPECT_EQ(hall.size(), 10u);
    EXPECT_LT(hall.front().generation, 20);
    EXPECT_GE(hall.back().generation, 20);
  }
}

double number_of(const Network& network) {
  return double{predict(network, Tensor::ones({1, 1})).at({0, 0})};
}

TEST(Coevolution, SinglePopulationPlaysAgainstItself) {
  const Network start = minimal_network(1, 1, 7);
  const CoevolutionResult result = Coevolution{
      .populations = {start},
      .contest =
          [](const Network& a, const Network& b, Rng&) {
            return ContestScores::zero_sum(number_of(a) > number_of(b) ? 1 : 0);
          },
      .options = {.budget = {.generations =
                                 20}}}.run();
  EXPECT_GT(number_of(result.champions[0]), number_of(start) + 3);
}

// Two networks whose outputs must add up to 2 x + 1; neither sees the other.
double sum_score(std::span<const Network* const> team, Rng& rng) {
  const Tensor x = Tensor::rand({20, 1}, rng);
  const Tensor a = predict(*team[0], x);
  const Tensor b = predict(*team[1], x);
  const Tensor wanted = Tensor::scalar(2) * x + Tensor::scalar(1);
  const Tensor off = a + b - wanted;
  return 1 - double{mean(off * off).item()};
}

TEST(Coevolution, EvolvesTeamsByJointScore) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CoevolutionResult result = Coevolution{
        .populations = {minimal_network(1, 1, seed),
                        minimal_network(1, 1, seed + 9)},
        .joint_score = sum_score,
        .options = {.seed = seed,
                    .target = 0.995,
                    .budget = {.generations =
                                   60}}}.run();
    Rng rng(99);
    const std::vector<const Network*> team = {&result.champions[0],
                                              &result.champions[1]};
    EXPECT_TRUE(result.target_reached) << seed;
    EXPECT_GT(sum_score(team, rng), 0.98) << seed;
  }
}

TEST(Coevolution, CallsLearnForChildren) {
  Coevolution coevolution = cyclic_game(1, 0);
  coevolution.options.budget.generations = 2;
  coevolution.learn = [](Network& network, std::size_t side, Rng&) {
    for (float& value : network.parameters().values) {
      value = static_cast<float>(side) + 1;
    }
  };
  const CoevolutionResult result = coevolution.run();
  EXPECT_EQ(result.generations, 2);
}

TEST(Coevolution, ReportsEveryGenerationAndTheEnd) {
  Coevolution coevolution = cyclic_game(1, 0);
  coevolution.options.budget.generations = 3;
  std::vector<std::string> types;
  coevolution.profiler.use_profiler([&](const CoevolutionEvent& event) {
    types.emplace_back(event_type(event));
  });
  coevolution.run();

  EXPECT_EQ(types, (std::vector<std::string>{
                       "coevolution_generation", "coevolution_generation",
                       "coevolution_generation", "coevolution_ended"}));
}

TEST(Coevolution, EndsWhenCancelled) {
  CancelSource source;
  Coevolution coevolution = cyclic_game(1, 0);
  coevolution.options.budget = {};
  coevolution.options.cancel = source.token();
  coevolution.profiler.use_profiler([&](const CoevolutionEvent& event) {
    if (const auto* done = std::get_if<CoevolutionGeneration>(&event)) {
      if (done->payload.generation == 2) source.cancel("enough");
    }
  });
  const CoevolutionResult result = coevolution.run();

  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.generations, 2);
}

TEST(Coevolution, RejectsInvalidSetups) {
  Coevolution both = cyclic_game(1, 0);
  both.joint_score = sum_score;
  EXPECT_THROW(both.run(), LogicError);

  Coevolution three = cyclic_game(1, 0);
  three.populations.push_back(minimal_network(1, 2));
  EXPECT_THROW(three.run(), LogicError);
}

}  // namespace
}  // namespace lamarck::evolution
