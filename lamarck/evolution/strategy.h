// Strategies: how an island gets from one generation to the next.

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

// A team of networks with the result of its training.
struct Candidate {
  std::vector<Network> networks;
  double loss = std::numeric_limits<double>::infinity();
  double score = -std::numeric_limits<double>::infinity();
  bool reaches_target = false;
  std::string mutation = "begin";  // The one that made it.
};

// The complete state of an island, as stored in a checkpoint.
struct Island {
  std::size_t index = 0;
  std::int64_t generation = 0;  // Since the start of the run.
  std::int64_t since_gain = 0;  // Generations without improvement.
  std::int64_t lives = 1;       // 1 + the number of restarts.
  // Trained candidates: one for hill_climb, several for cascade.
  std::vector<Candidate> population;
  // The best since the start of the run, across restarts. Its networks are
  // empty until a candidate has been trained.
  Candidate best;
  // How often each topology has been trained since the last restart (for
  // hill_climb also since the last improvement), by topology_hash.
  std::map<std::uint64_t, std::size_t> tried;
  EvolutionCounts counts;
};

// The operations that strategies are made of. Thread safety: several threads
// may advance different islands at once.
class StrategyContext {
 public:
  StrategyContext(const MultiEvolution& evolution, ThreadPool& pool,
                  std::function<bool()> should_stop);

  const EvolutionOptions& options() const { return evolution_.options; }

  // The untrained candidate that an island starts with: the given networks on
  // the first island, and redrawn weights on all others and after a restart.
  Candidate initial_candidate(const Island& island) const;
  // A mutated child of `parent`, not yet trained. `key` distinguishes the
  // children of one generation.
  Candidate child(const Candidate& parent, Island& island, std::uint64_t key,
                  bool cascade) const;
  // Trains and scores the candidates in parallel and updates the island's
  // counts. `bar` is that of LearningContext.
  void train_and_score(std::span<Candidate> candidates, Island& island,
                       double bar) const;
  // How many children to try in one generation.
  std::size_t child_count(const Candidate& parent) const;
  // The random numbers of the island's current generation.
  Rng rng(const Island& island) const;

  void report_kept(const Island& island, const Candidate& child) const;
  void report_rolled_back(const Island& island, const Candidate& child) const;
  // Stores the candidate if it is the best of the island, and returns whether
  // it is. A dropped candidate never is.
  static bool offer_best(Island& island, const Candidate& candidate);

 private:
  void train_and_score_one(Candidate& candidate, const Island& island,
                           std::uint64_t seed, double bar,
                           EvolutionCounts& counts) const;
  MutationDetails details(const Island& island, const Candidate& child) const;

  const MultiEvolution& evolution_;
  ThreadPool& pool_;
  std::function<bool()> should_stop_;
};

struct Strategy {
  std::string_view name;
  std::string_view what;  // A short description for people.
  // Runs one generation. REQUIRES: no other thread uses the island.
  void (*advance)(Island& island, const StrategyContext& context);
};

std::span<const Strategy> strategy_table();
// Returns an Error of code InvalidArgument for an unknown name.
Result<Strategy> parse_strategy(std::string_view name);

}  // namespace lamarck::evolution
