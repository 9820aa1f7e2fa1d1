// A population of genomes that evolves by NEAT until it solves a task.
//
//   Population population(task.inputs, task.outputs, {}, seed);
//   while (!population.evaluate(task)) population.evolve();
//   FlatNetwork winner(population.best());

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "lamarck/base/profiler.h"
#include "lamarck/base/result.h"
#include "lamarck/base/thread_pool.h"
#include "lamarck/neat/neat_species.h"
#include "lamarck/neat/neat_task.h"

namespace lamarck::neat {

class NeatCrew;

struct GenerationEvaluated {
  static constexpr std::string_view type = "generation_evaluated";
  struct Payload {
    std::size_t generation;
    double best;
    double mean;
    std::size_t species;
    std::int64_t evaluations;  // Total since the population was created.
  } payload;
};

// Sent for each species after GenerationEvaluated.
struct SpeciesRanked {
  static constexpr std::string_view type = "species_ranked";
  struct Payload {
    std::size_t generation;
    std::size_t species;     // Species::id.
    std::size_t size;        // Number of members.
    std::size_t age;         // In generations.
    std::size_t since_gain;  // Generations since its last record.
    double best;
    double mean;
  } payload;
};

// All species were stagnant, or NeatOptions::patience ran out; the population
// restarted from minimal genomes.
struct PopulationRestarted {
  static constexpr std::string_view type = "population_restarted";
  struct Payload {
    std::size_t generation;
  } payload;
};
using NeatEvent =
    std::variant<GenerationEvaluated, SpeciesRanked, PopulationRestarted>;

// The same seed gives the same run for any number of threads and processes.
//
// Thread safety: a population belongs to one thread at a time.
class Population {
 public:
  // Starts with minimal genomes that have random weights.
  Population(std::size_t inputs, std::size_t outputs, NeatOptions options,
             std::uint64_t seed);
  // Starts with copies of `first`, whose weights all but one have mutated, and
  // returns to it when it restarts. `tracker` is the one that its innovations
  // come from.
  Population(const Genome& first, const InnovationTracker& tracker,
             NeatOptions options, std::uint64_t seed);

  // Evaluates this generation, on the threads of `pool` unless it is null, and
  // returns whether it contains a solution, which is then `best()`. Evaluations
  // after the first solution are not counted and have no effect. Throws
  // LogicError if a fitness is negative or not finite.
  //
  // REQUIRES: the task has the inputs and outputs of this population.
  bool evaluate(const NeatTask& task, ThreadPool* pool = nullptr);
  // The same by a crew. Fails if an evaluation throws or the crew is lost.
  Result<bool> evaluate(NeatCrew& crew);

  // Takes evaluations that were made elsewhere, one for each of `genomes()`,
  // and returns whether one of them is a solution; otherwise as above.
  bool evaluate(std::span<const NeatEvaluation> evaluations);

  // Breeds the next generation. REQUIRES: this generation was evaluated.
  void evolve();

  std::span<const Genome> genomes() const { return genomes_; }
  std::span<const Species> species() const { return species_; }
  // The solution, or the fittest genome of all generations.
  // REQUIRES: evaluate() was called.
  const Genome& best() const;
  std::size_t generation() const { return generation_; }
  std::int64_t evaluations() const { return evaluations_; }
  // The current distance below which genomes share a species.
  double threshold() const { return threshold_; }
  const InnovationTracker& tracker() const { return tracker_; }

  Remover use_profiler(Profiler<NeatEvent>::Function function) {
    return profiler_.use_profiler(std::move(function));
  }

 private:
  void check_shape(const NeatTask& task) const;
  void fill_with_first_genomes();
  void fill_with_minimal_genomes();
  // Returns the index of the first solution, or the population's size.
  std::size_t evaluate_all(const NeatTask& task, ThreadPool* pool);
  // `solution` is the index of the first solution, or the population's size.
  void finish_evaluation(std::size_t solution);
  void rank_species();
  bool test_champions(const NeatTask& task);
  void send_events() const;
  void breed(const Species& species, std::size_t count);
  void draw_child(const Species& species, std::size_t survivors, Rng& rng,
                  Genome& child);
  const Genome& draw_mate(const Species& species, std::size_t survivors,
                          Rng& rng) const;
  void restart();
  void choose_representatives();
  void adjust_threshold();

  NeatOptions options_;
  std::size_t inputs_;
  std::size_t outputs_;
  Rng rng_;
  InnovationTracker tracker_;
  Genome first_;  // Empty: minimal genomes.
  std::vector<Genome> genomes_;
  std::vector<Genome> next_;  // The next generation; its memory is reused.
  std::size_t bred_ = 0;      // Number of finished genomes in next_.
  std::vector<Species> species_;
  std::size_t next_species_ = 0;
  double threshold_;
  std::size_t generation_ = 0;
  std::size_t restarted_at_ = 0;  // Generation of the last restart.
  std::size_t since_gain_ = 0;    // Generations since record_ grew.
  double record_ = -1;            // Best fitness since the last restart.
  std::int64_t evaluations_ = 0;
  bool evaluated_ = false;
  bool solved_ = false;
  Genome best_;
  std::vector<FlatNetwork> networks_;  // One for each block of genomes.
  Profiler<NeatEvent> profiler_;
};

}  // namespace lamarck::neat
