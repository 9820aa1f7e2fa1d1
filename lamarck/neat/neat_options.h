// How a NEAT population varies, compares and breeds.

#pragma once

#include <cstddef>

namespace lamarck::neat {

struct NeatOptions {
  std::size_t population = 150;  // At least 2.

  // Distance of genomes: per excess gene, per disjoint gene, and for the mean
  // difference of the weights they share.
  double excess_weight = 1.0;
  double disjoint_weight = 1.0;
  double difference_weight = 0.4;
  // Genomes nearer than this are of one species. It moves by `threshold_step`
  // each generation towards `target_species`; 0 leaves it where it is.
  double threshold = 3.0;
  double threshold_step = 0.3;
  double least_threshold = 0.3;
  std::size_t target_species = 15;

  double survival = 0.2;           // Share of a species that has offspring.
  std::size_t champion_size = 5;   // Larger species keep their champion as is.
  std::size_t stagnation = 15;     // Generations a species may be without gain.
  bool best_species_stays = true;  // However long it stagnates.
  // After so many generations without gain only the best two species breed.
  std::size_t flat_generations = 20;
  // A population that has not solved its task after so many generations begins
  // anew, as one that has died out does: long runs are mostly stuck ones. 0
  // lets it go on.
  std::size_t patience = 0;

  double crossover = 0.75;  // Share of offspring with two parents.
  double interspecies = 0.001;
  double stays_disabled = 0.75;  // If the gene is disabled in either parent.

  double mutate_weights = 0.8;  // Share of offspring whose weights change.
  double perturb_power = 2.5;   // Uniform, either way.
  double gentle_share = 0.5;    // Offspring with a fifth of that power.
  double replace = 0.1;         // Share of genes that are drawn anew.
  double replace_range = 8;
  double initial_range = 1;
  double weight_cap = 8;

  double add_node = 0.03;
  double add_connection = 0.3;
  double toggle_enabled = 0;
  double recurrent_share = 0;  // Of new connections; 0 keeps it feed-forward.
  // Splitting a bias connection yields a constant, which gains nothing.
  bool split_bias = false;

  // How many species champions a generation are put to NeatTask::is_solution.
  std::size_t champion_tests = 5;
};

}  // namespace lamarck::neat
