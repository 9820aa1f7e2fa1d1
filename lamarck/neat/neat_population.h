// A population of genomes that learns a task by NEAT.
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
#include "lamarck/base/thread_pool.h"
#include "lamarck/neat/neat_species.h"
#include "lamarck/neat/neat_task.h"

namespace lamarck::neat {

struct GenerationEvaluated {
  static constexpr std::string_view type = "generation_evaluated";
  struct Payload {
    std::size_t generation;
    double best;
    double mean;
    std::size_t species;
    std::int64_t evaluations;  // Since the beginning.
  } payload;
};
// One for each species, after GenerationEvaluated.
struct SpeciesRanked {
  static constexpr std::string_view type = "species_ranked";
  struct Payload {
    std::size_t generation;
    std::size_t species;  // Its id.
    std::size_t size;
    std::size_t age;
    std::size_t since_gain;
    double best;
    double mean;
  } payload;
};
// No species was left to breed, or patience is over; minimal genomes begin
// anew.
struct PopulationRestarted {
  static constexpr std::string_view type = "population_restarted";
  struct Payload {
    std::size_t generation;
  } payload;
};
using NeatEvent =
    std::variant<GenerationEvaluated, SpeciesRanked, PopulationRestarted>;

// The same seed gives the same run whatever the thread count. Thread safety:
// one population belongs to one thread at a time.
class Population {
 public:
  // Begins with minimal genomes of random weights.
  Population(std::size_t inputs, std::size_t outputs, NeatOptions options,
             std::uint64_t seed);

  // Evaluates this generation, on the threads of `pool` if there is one, and
  // returns whether it holds a solution, which is then `best()`. Evaluations
  // after the first solution neither count nor matter. REQUIRES: the task has
  // the same inputs and outputs.
  bool evaluate(const NeatTask& task, ThreadPool* pool = nullptr);
  // Breeds the next generation. REQUIRES: this one was evaluated.
  void evolve();

  std::span<const Genome> genomes() const { return genomes_; }
  std::span<const Species> species() const { return species_; }
  // The solution, or the fittest ever. REQUIRES: evaluated.
  const Genome& best() const;
  std::size_t generation() const { return generation_; }
  std::int64_t evaluations() const { return evaluations_; }
  double threshold() const { return threshold_; }
  const InnovationTracker& tracker() const { return tracker_; }

  Remover use_profiler(Profiler<NeatEvent>::Function function) {
    return profiler_.use_profiler(std::move(function));
  }

 private:
  void fill_with_minimal_genomes();
  // The place of the first solution, or the population's size.
  std::size_t evaluate_all(const NeatTask& task, ThreadPool* pool);
  void rank_species();
  bool test_champions(const NeatTask& task);
  void send_events() const;
  void breed(const Species& species, std::size_t count);
  void draw_child(const Species& species, std::size_t survivors, Rng& rng,
                  Genome& child);
  const Genome& draw_mate(const Species& species, std::size_t survivors,
                          Rng& rng) const;
  void begin_anew();
  void choose_representatives();
  void move_threshold();

  NeatOptions options_;
  std::size_t inputs_;
  std::size_t outputs_;
  Rng rng_;
  InnovationTracker tracker_;
  std::vector<Genome> genomes_;
  std::vector<Genome> next_;  // Its memory is used again.
  std::size_t bred_ = 0;      // How many of next_ are made.
  std::vector<Species> species_;
  std::size_t next_species_ = 0;
  double threshold_;
  std::size_t generation_ = 0;
  std::size_t born_ = 0;  // The generation that began from minimal genomes.
  std::size_t since_gain_ = 0;
  double record_ = -1;  // The best fitness since then.
  std::int64_t evaluations_ = 0;
  bool evaluated_ = false;
  bool solved_ = false;
  Genome best_;
  std::vector<FlatNetwork> networks_;  // One for each share of the loop.
  Profiler<NeatEvent> profiler_;
};

}  // namespace lamarck::neat
