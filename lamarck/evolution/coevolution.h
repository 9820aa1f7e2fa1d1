// Networks that evolve against each other, or together.
//
//   Coevolution{.populations = {pursuer, evader}, .contest = chase}.run()
//
// What is good depends on who is there. So that nobody wins by a trick that an
// earlier opponent knew an answer to, each side also meets past champions of
// the other, from its hall of fame (Rosin and Belew 1997).

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

// What each side gets of a contest, from 0 to 1.
struct ContestScores {
  double first = 0;
  double second = 0;

  // One's gain is the other's loss.
  static ContestScores zero_sum(double first) { return {first, 1 - first}; }
};

struct CoevolutionOptions {
  std::uint64_t seed = 0;
  std::size_t population = 24;      // Networks on each side.
  std::size_t elite = 3;            // Go on as they are.
  std::size_t opponents = 5;        // Of those there are now; the best is one.
  std::size_t past_opponents = 10;  // Drawn from the hall of fame.
  // At most so many champions; if there were more, each is as likely in it as
  // any other.
  std::size_t hall = 40;

  double topology_chance = 0.2;  // That a child gets a mutation of the list.
  double weight_step = 0.3;      // Of weights, normally distributed.
  Grain grain = Grain::Neuron;
  MutationWeights mutations;  // What differs from mutation_table.
  MutationLimits limits = {.keeps_outputs = true, .score_units = nullptr};

  // For joint scores: ends when a team reaches it.
  double target = std::numeric_limits<double>::infinity();
  // Evaluations are contests, or teams scored. flat_generations is for joint
  // scores alone.
  EvolutionBudget budget;
  std::size_t threads = 0;  // 0: one for each core. Changes no result.
  CancelToken cancel;
  Clock* clock = nullptr;  // Null: the system's.
};

// Of one side in one generation.
struct SideFitness {
  double best = 0;
  double mean = 0;
};

struct CoevolutionGeneration {
  static constexpr std::string_view type = "coevolution_generation";
  struct Payload {
    std::int64_t generation;
    std::int64_t evaluations;  // Of the whole run so far.
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
  // The best of each side in the last generation, or the best team of all.
  std::vector<Network> champions;
  std::vector<std::vector<PastChampion>> halls;   // Of each side, in order.
  std::vector<std::vector<SideFitness>> history;  // By generation and side.
  double joint_score = 0;                         // Of the best team.
  std::int64_t generations = 0;
  std::int64_t evaluations = 0;
  bool target_reached = false;
  bool cancelled = false;
  double seconds = 0;
};

// Exactly one of `contest` and `joint_score` is given; both are called by
// several threads at once. The chance they are given depends on the generation
// and the opponent, not on the network: all of one side meet the same.
struct Coevolution {
  // What each side begins with: two for contests, or one that meets its own
  // kind; any number for teams.
  std::vector<Network> populations;
  std::function<ContestScores(const Network& first, const Network& second,
                              Rng& rng)>
      contest;
  // How good one of each side are together; more is better. A network is worth
  // its best team of those tried: with the champions of the others, and with
  // others drawn.
  std::function<double(std::span<const Network* const> team, Rng& rng)>
      joint_score;
  // Each child may learn before it is measured. May be empty.
  std::function<void(Network& network, std::size_t side, Rng& rng)> learn;
  CoevolutionOptions options;
  Profiler<CoevolutionEvent> profiler;

  // Throws LogicError for options that make no sense.
  CoevolutionResult run() const;
};

}  // namespace lamarck::evolution
