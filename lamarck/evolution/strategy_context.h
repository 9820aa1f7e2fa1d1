// How candidates are made, trained, scored and reported, for all strategies.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "lamarck/base/rng.h"
#include "lamarck/base/thread_pool.h"
#include "lamarck/evolution/candidate.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/network_island.h"

namespace lamarck::evolution {

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

}  // namespace lamarck::evolution
