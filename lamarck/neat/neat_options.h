// The parameters of NEAT. Shares, probabilities and the rates of structural
// mutations are from 0 to 1.

#pragma once

#include <cstddef>

namespace lamarck::neat {

struct NeatOptions {
  std::size_t population = 150;  // At least 2.

  // Coefficients of the distance between genomes: per excess gene, per disjoint
  // gene, and for the mean weight difference of matching genes.
  double excess_weight = 1.0;
  double disjoint_weight = 1.0;
  double difference_weight = 0.4;
  // Genomes closer than the threshold belong to one species. The threshold
  // changes by `threshold_step` per generation to approach `target_species`; a
  // target of 0 keeps it constant.
  double threshold = 3.0;
  double threshold_step = 0.3;
  double min_threshold = 0.3;
  std::size_t target_species = 15;

  double survival = 0.2;  // Share of each species that may have offspring.
  // The champion of a species survives if the species has more offspring.
  std::size_t champion_size = 5;
  // A species without progress for this many generations has no offspring.
  std::size_t stagnation = 15;
  bool best_species_stays = true;  // The best species is exempt from this.
  // If the population makes no progress for this many generations, only the
  // best two species breed.
  std::size_t flat_generations = 20;
  // Without a solution after this many generations the population restarts, as
  // it does when all species are stagnant: long runs are mostly stuck. 0 means
  // never.
  std::size_t patience = 0;

  double crossover = 0.75;      // Share of offspring with two parents.
  double interspecies = 0.001;  // Share of matings across species.
  // Probability that a gene that is disabled in either parent is disabled in
  // the child.
  double stays_disabled = 0.75;

  double mutate_weights = 0.8;  // Share of offspring whose weights change.
  double perturb_power = 2.5;   // Weights change by up to this, uniformly.
  double gentle_share = 0.5;    // Share of offspring with a fifth of the power.
  double replace = 0.1;         // Share of weights that are replaced instead.
  double replace_range = 8;     // New weights are uniform in +-replace_range.
  double initial_range = 1;     // Initial weights are uniform in this range.
  double weight_cap = 8;        // Weights are clamped to +-weight_cap.

  double add_node = 0.03;
  double add_connection = 0.3;
  double toggle_enabled = 0;
  // Share of new connections that are recurrent; 0 keeps networks feed-forward.
  double recurrent_share = 0;
  // Whether bias connections may be split. The new node would be constant and
  // therefore useless at first.
  bool split_bias = false;

  // Number of champions per generation that NeatTask::is_solution tests.
  std::size_t champion_tests = 5;
};

}  // namespace lamarck::neat
