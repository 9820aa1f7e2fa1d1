// How an island goes from one generation to the next: one list.

#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/thread_pool.h"
#include "lamarck/evolution/evolution.h"

namespace lamarck::evolution {

struct Candidate {
  std::vector<Network> networks;
  double loss = std::numeric_limits<double>::infinity();
  double score = -std::numeric_limits<double>::infinity();
  bool reaches_target = false;
  std::string mutation = "begin";
};

// All that an island knows; a checkpoint keeps it.
struct Island {
  std::size_t index = 0;
  std::int64_t generation = 0;  // Since the beginning.
  std::int64_t since_gain = 0;  // Generations.
  std::int64_t lives = 1;       // Beginnings, the first one included.
  // Trained; hill_climb has one, cascade some.
  std::vector<Candidate> population;
  Candidate best;  // Of all its lives. Without networks until there is one.
  // How often a topology was trained in this life, by its hash.
  std::map<std::uint64_t, std::size_t> tried;
  EvolutionCounts counts;
};

// What strategies work with. Thread safety: islands may be advanced side by
// side.
class Habitat {
 public:
  Habitat(const MultiEvolution& evolution, ThreadPool& pool,
          std::function<bool()> should_stop);

  const EvolutionOptions& options() const { return evolution_.options; }

  // What a life begins with: the first as given, later ones with other
  // weights.
  Candidate beginning(const Island& island) const;
  // A child of `parent`, mutated; not trained. `key` tells children of one
  // generation apart.
  Candidate child(const Candidate& parent, Island& island, std::uint64_t key,
                  bool cascade) const;
  // Trains and evaluates them, side by side, and counts it. `bar`: see
  // LearningContext.
  void bring_up(std::span<Candidate> candidates, Island& island,
                double bar) const;
  // How many children are worth trying at once.
  std::size_t brood_of(const Candidate& parent) const;
  // Chance of this generation of an island.
  Rng rng(const Island& island) const;

  void tell_kept(const Island& island, const Candidate& child) const;
  void tell_rolled_back(const Island& island, const Candidate& child) const;
  // Remembers it if it is the best of the island; whether it is. What was
  // dropped never is.
  static bool offer_best(Island& island, const Candidate& candidate);

 private:
  void bring_up_one(Candidate& candidate, const Island& island,
                    std::uint64_t seed, double bar,
                    EvolutionCounts& counts) const;
  MutationTold told(const Island& island, const Candidate& child) const;

  const MultiEvolution& evolution_;
  ThreadPool& pool_;
  std::function<bool()> should_stop_;
};

struct Strategy {
  std::string_view name;
  std::string_view what;  // For people.
  // One generation.
  void (*advance)(Island& island, const Habitat& habitat);
};

std::span<const Strategy> strategy_table();
Result<Strategy> strategy_named(std::string_view name);

}  // namespace lamarck::evolution
