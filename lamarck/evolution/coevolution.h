// Populations of networks that evolve against each other, or as a team.
//
//   Coevolution{.populations = {pursuer, evader}, .contest = chase}.run()
//
// Fitness depends on the current opponents. To keep a side from forgetting how
// to beat strategies it has met before, each side also plays past champions of
// the other side, drawn from its hall of fame (Rosin and Belew 1997).

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lamarck/evolution/evolution.h"

namespace lamarck::evolution {

// The score of each side in one contest, from 0 to 1.
struct ContestScores {
  double first = 0;
  double second = 0;

  // A contest in which the scores of both sides sum to 1.
  static ContestScores zero_sum(double first) { return {first, 1 - first}; }
};

struct CoevolutionOptions {
  std::uint64_t seed = 0;
  std::size_t population = 24;      // Networks on each side.
  std::size_t elite = 3;            // Copied unchanged to the next generation.
  std::size_t opponents = 5;        // Current ones, including the best.
  std::size_t past_opponents = 10;  // Drawn from the hall of fame.
  // The largest number of champions kept. If there were more, the hall is a
  // uniform sample of them.
  std::size_t hall = 40;

  double topology_chance = 0.2;  // Probability that a child's topology mutates.
  double weight_step = 0.3;      // Standard deviation of weight changes.
  Grain grain = Grain::Neuron;
  MutationWeights mutations;  // Overrides weights of mutation_table.
  MutationLimits limits = {.keeps_outputs = true, .score_units = nullptr};

  // For joint scores: the run ends when a team reaches this score.
  double target = std::numeric_limits<double>::infinity();
  // An evaluation is one contest, or one team scored. flat_generations applies
  // to joint scores only.
  EvolutionBudget budget;
  std::size_t threads = 0;  // 0: one per core. Does not affect results.
  CancelToken cancel;
  Clock* clock = nullptr;  // Null: the system clock.
};

// The fitness of one side in one generation.
struct SideFitness {
  double best = 0;
  double mean = 0;
};

struct CoevolutionGeneration {
  static constexpr std::string_view type = "coevolution_generation";
  struct Payload {
    std::int64_t generation;
    std::int64_t evaluations;  // In the run so far.
    std::vector<SideFitness> sides;
  } payload;
};
struct CoevolutionEnded {
  static constexpr std::string_view type = "coevolution_ended";
  struct Payload {
    std::string reason;  // "generations", "seconds", "cancelled", ...
  } payload;
};
using CoevolutionEvent = std::variant<CoevolutionGeneration, CoevolutionEnded>;

struct PastChampion {
  std::int64_t generation = 0;
  Network network;
};

struct CoevolutionResult {
  // The best of each side in the last generation, or the best team of the run.
  std::vector<Network> champions;
  std::vector<std::vector<PastChampion>> halls;   // Per side, oldest first.
  std::vector<std::vector<SideFitness>> history;  // By generation and side.
  double joint_score = 0;                         // Score of the best team.
  std::int64_t generations = 0;
  std::int64_t evaluations = 0;
  bool target_reached = false;
  bool cancelled = false;
  double seconds = 0;
};

// Set exactly one of `contest` and `joint_score`. Both are called from several
// threads at once. Their `rng` depends on the generation and the opponent, not
// on the network, so all networks of one side meet the same conditions.
struct Coevolution {
  // The initial network of each side. A contest has two sides, or one side
  // that plays against itself; a team has any number.
  std::vector<Network> populations;
  std::function<ContestScores(const Network& first, const Network& second,
                              Rng& rng)>
      contest;
  // The score of a team with one network of each side; higher is better. The
  // fitness of a network is the score of its best team: one with the champions
  // of the other sides, and some with random members of them.
  std::function<double(std::span<const Network* const> team, Rng& rng)>
      joint_score;
  // Trains a child before it is evaluated. May be empty.
  std::function<void(Network& network, std::size_t side, Rng& rng)> learn;
  CoevolutionOptions options;
  Profiler<CoevolutionEvent> profiler;

  // Throws LogicError for invalid options.
  CoevolutionResult run() const;
};

}  // namespace lamarck::evolution
