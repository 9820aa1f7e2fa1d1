#include "lamarck/neat/neat_population.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/neat/neat_crew.h"
#include "lamarck/neat/neat_evaluation.h"

namespace lamarck::neat {
namespace {

constexpr std::size_t kBlock = 16;  // Genomes that a thread takes at a time.

}  // namespace

Population::Population(std::size_t inputs, std::size_t outputs,
                       NeatOptions options, std::uint64_t seed)
    : options_(options),
      inputs_(inputs),
      outputs_(outputs),
      rng_(seed),
      tracker_(Genome::node_count(inputs, outputs)),
      genomes_(options.population),
      next_(options.population),
      threshold_(options.threshold) {
  REQUIRE(options.population >= 2,
          "Population: options.population must be at least 2, got {}.",
          options.population);
  fill_with_first_genomes();
}

Population::Population(const Genome& first, const InnovationTracker& tracker,
                       NeatOptions options, std::uint64_t seed)
    : Population(first.input_count(), first.output_count(), options, seed) {
  tracker_ = tracker;
  first_ = first;
  next_species_ = 0;
  fill_with_first_genomes();
}

void Population::fill_with_minimal_genomes() {
  const Rng rng = rng_.split("minimal").split(generation_);
  const Genome minimal = Genome::minimal(inputs_, outputs_, tracker_);
  for (std::size_t i = 0; i < genomes_.size(); ++i) {
    Rng own = rng.split(i);
    genomes_[i] = minimal;
    genomes_[i].randomize_weights(options_.initial_range, own);
  }
}

void Population::fill_with_first_genomes() {
  if (first_.nodes().empty()) {
    fill_with_minimal_genomes();
  } else {
    const Rng rng = rng_.split("first").split(generation_);
    for (std::size_t i = 0; i < genomes_.size(); ++i) {
      Rng own = rng.split(i);
      genomes_[i] = first_;
      if (i > 0) genomes_[i].mutate_weights(options_, own);
    }
  }
  species_.clear();
  speciate(genomes_, threshold_, options_, next_species_, species_);
  evaluated_ = false;
}

void Population::check_shape(const NeatTask& task) const {
  REQUIRE(task.inputs == inputs_ && task.outputs == outputs_,
          "Population::evaluate: the task must have {} inputs and {} outputs "
          "like the population, got {} and {}.",
          inputs_, outputs_, task.inputs, task.outputs);
}

bool Population::evaluate(const NeatTask& task, ThreadPool* pool) {
  check_shape(task);
  finish_evaluation(evaluate_all(task, pool));
  return solved_ || test_champions(task);
}

Result<bool> Population::evaluate(NeatCrew& crew) {
  const NeatTask& task = crew.task();
  check_shape(task);
  if (networks_.empty()) networks_.resize(1);
  ASSIGN_OR_RETURN(const std::size_t solution, crew.evaluate(genomes_));
  finish_evaluation(solution);
  return solved_ || test_champions(task);
}

bool Population::evaluate(std::span<const NeatEvaluation> evaluations) {
  REQUIRE(evaluations.size() == genomes_.size(),
          "Population::evaluate: there must be one evaluation for each of the "
          "{} genomes, got {}.",
          genomes_.size(), evaluations.size());
  std::size_t solution = genomes_.size();
  for (std::size_t i = 0; i < genomes_.size(); ++i) {
    REQUIRE(
        std::isfinite(evaluations[i].fitness) && evaluations[i].fitness >= 0,
        "Population::evaluate: a fitness must be finite and at least 0, "
        "got {}; add a constant to all of them.",
        evaluations[i].fitness);
    genomes_[i].fitness = evaluations[i].fitness;
    if (evaluations[i].solved) solution = std::min(solution, i);
  }
  finish_evaluation(solution);
  return solved_;
}

void Population::finish_evaluation(std::size_t solution) {
  solved_ = solution < genomes_.size();
  evaluations_ +=
      static_cast<std::int64_t>(solved_ ? solution + 1 : genomes_.size());
  if (solved_) {
    // With several threads later genomes may have been evaluated as well. Their
    // fitness is cleared, so the result does not depend on the thread count.
    for (std::size_t i = solution + 1; i < genomes_.size(); ++i) {
      genomes_[i].fitness = 0;
    }
    best_ = genomes_[solution];
  }
  evaluated_ = true;
  rank_species();
  send_events();
}

std::size_t Population::evaluate_all(const NeatTask& task, ThreadPool* pool) {
  const std::size_t blocks = (genomes_.size() + kBlock - 1) / kBlock;
  if (networks_.size() < blocks) networks_.resize(blocks);
  if (pool == nullptr || pool->size() == 1) {
    return evaluate_genomes(task, genomes_, networks_[0]);
  }
  std::vector<std::size_t> stops(blocks);
  pool->parallel_for(blocks, [&](std::size_t block) {
    const std::size_t begin = block * kBlock;
    const std::size_t end = std::min(begin + kBlock, genomes_.size());
    stops[block] =
        begin +
        evaluate_genomes(task, std::span(genomes_).subspan(begin, end - begin),
                         networks_[block]);
  });
  for (std::size_t block = 0; block < blocks; ++block) {
    if (stops[block] < std::min((block + 1) * kBlock, genomes_.size())) {
      return stops[block];
    }
  }
  return genomes_.size();
}

void Population::rank_species() {
  for (Species& species : species_) species.rank(genomes_);
  if (solved_) return;
  const auto leader = std::max_element(
      species_.begin(), species_.end(),
      [](const Species& a, const Species& b) { return a.best < b.best; });
  ++since_gain_;
  if (leader->best > record_) {
    record_ = leader->best;
    since_gain_ = 0;
  }
  const bool is_first = best_.nodes().empty();
  if (is_first || leader->best > best_.fitness) {
    best_ = genomes_[leader->members.front()];
  }
}

// The separate test is expensive, so only the fittest champions that improved
// in this generation take it.
bool Population::test_champions(const NeatTask& task) {
  if (!task.is_solution) return false;
  std::vector<const Species*> improved;
  for (const Species& species : species_) {
    if (species.beat_record) improved.push_back(&species);
  }
  std::stable_sort(
      improved.begin(), improved.end(),
      [](const Species* a, const Species* b) { return a->best > b->best; });
  if (improved.size() > options_.champion_tests) {
    improved.resize(options_.champion_tests);
  }
  for (const Species* species : improved) {
    const Genome& champion = genomes_[species->members.front()];
    networks_[0].load(champion);
    if (!task.is_solution(networks_[0], champion.fitness)) continue;
    best_ = champion;
    solved_ = true;
    return true;
  }
  return false;
}

void Population::send_events() const {
  double sum = 0;
  for (const Genome& genome : genomes_) sum += genome.fitness;
  profiler_.send(
      GenerationEvaluated{{.generation = generation_,
                           .best = best_.fitness,
                           .mean = sum / static_cast<double>(genomes_.size()),
                           .species = species_.size(),
                           .evaluations = evaluations_}});
  for (const Species& species : species_) {
    profiler_.send(SpeciesRanked{{.generation = generation_,
                                  .species = species.id,
                                  .size = species.members.size(),
                                  .age = species.age,
                                  .since_gain = species.since_gain,
                                  .best = species.best,
                                  .mean = species.mean}});
  }
}

const Genome& Population::best() const {
  REQUIRE(
      !best_.nodes().empty(),
      "Population::best: there is no best genome yet; call evaluate() first.");
  return best_;
}

void Population::evolve() {
  REQUIRE(
      evaluated_,
      "Population::evolve: this generation has no fitness yet; call evaluate() "
      "first.");
  ++generation_;
  const bool is_flat = since_gain_ >= options_.flat_generations;
  if (is_flat) since_gain_ = 0;
  const std::vector<std::size_t> counts =
      offspring_counts(species_, genomes_.size(), is_flat, options_);
  const bool is_extinct =
      std::all_of(counts.begin(), counts.end(),
                  [](std::size_t count) { return count == 0; });
  const bool is_out_of_patience =
      options_.patience > 0 && generation_ - restarted_at_ >= options_.patience;
  if (is_extinct || is_out_of_patience) {
    restart();
    return;
  }
  bred_ = 0;
  for (std::size_t i = 0; i < species_.size(); ++i) {
    breed(species_[i], counts[i]);
  }
  choose_representatives();
  std::swap(genomes_, next_);
  adjust_threshold();
  speciate(genomes_, threshold_, options_, next_species_, species_);
  evaluated_ = false;
}

void Population::restart() {
  profiler_.send(PopulationRestarted{{.generation = generation_}});
  restarted_at_ = generation_;
  record_ = -1;
  since_gain_ = 0;
  threshold_ = options_.threshold;
  fill_with_first_genomes();
}

void Population::breed(const Species& species, std::size_t count) {
  if (count == 0) return;
  const auto size = static_cast<double>(species.members.size());
  const auto survivors = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::ceil(size * options_.survival)));
  const Genome& champion = genomes_[species.members.front()];
  std::size_t made = 0;
  // The best genome of the population always survives unchanged.
  if (count > options_.champion_size || champion.fitness >= record_) {
    next_[bred_++] = champion;
    ++made;
  }
  // Every child has its own stream, so its genes do not depend on the draws for
  // other children.
  const Rng rng = rng_.split(generation_);
  for (; made < count; ++made) {
    Rng own = rng.split(bred_);
    draw_child(species, survivors, own, next_[bred_++]);
  }
}

void Population::draw_child(const Species& species, std::size_t survivors,
                            Rng& rng, Genome& child) {
  const Genome& parent = genomes_[species.members[rng.below(survivors)]];
  const Genome& mate = rng.chance(options_.crossover)
                           ? draw_mate(species, survivors, rng)
                           : parent;
  if (&mate == &parent) {
    child = parent;
  } else {
    child.assign_crossover(parent, mate, options_, rng);
  }
  child.mutate(options_, tracker_, rng);
}

const Genome& Population::draw_mate(const Species& species,
                                    std::size_t survivors, Rng& rng) const {
  if (options_.interspecies > 0 && rng.chance(options_.interspecies)) {
    const Species& other = species_[rng.below(species_.size())];
    return genomes_[other.members.front()];
  }
  return genomes_[species.members[rng.below(survivors)]];
}

// A random member of the old generation represents its species in the next one
// (Stanley and Miikkulainen 2002, section 3.3).
void Population::choose_representatives() {
  const Rng rng = rng_.split("representatives").split(generation_);
  for (std::size_t i = 0; i < species_.size(); ++i) {
    Species& species = species_[i];
    Rng own = rng.split(i);
    species.representative =
        genomes_[species.members[own.below(species.members.size())]];
  }
}

// Steers the number of species towards the target: a larger threshold merges
// species.
void Population::adjust_threshold() {
  if (options_.target_species == 0) return;
  if (species_.size() > options_.target_species) {
    threshold_ += options_.threshold_step;
  } else if (species_.size() < options_.target_species) {
    threshold_ =
        std::max(options_.min_threshold, threshold_ - options_.threshold_step);
  }
}

}  // namespace lamarck::neat
