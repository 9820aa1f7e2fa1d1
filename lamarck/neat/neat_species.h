// Genomes that are alike share their fitness and breed among themselves.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/neat/neat_genome.h"

namespace lamarck::neat {

struct Species {
  std::size_t id = 0;  // In the order in which they arose.
  Genome representative;
  std::vector<std::size_t> members;  // Places in the population.
  std::size_t age = 0;               // Generations.
  std::size_t since_gain = 0;        // Generations since its record grew.
  double record = -1;                // The best fitness it ever had.
  double mean = 0;                   // Of the members, as is `best`.
  double best = 0;
  bool outdid_record = false;  // In this generation.

  bool is_stagnant(const NeatOptions& options) const {
    return since_gain >= options.stagnation;
  }
  // Sorts members best first, and updates all that depends on their fitness.
  void rank(std::span<const Genome> genomes);
};

// Puts every genome into the first species whose representative is near, or
// into a new one; species without members are gone. New ids begin at
// `next_id`, which moves on.
void speciate(std::span<const Genome> genomes, double threshold,
              const NeatOptions& options, std::size_t& next_id,
              std::vector<Species>& species);

// How many offspring each species has, in proportion to its mean fitness (the
// sum of its shared fitness); none if it is stagnant. They sum to `count`,
// unless all species are barred: then all are 0. REQUIRES: ranked.
std::vector<std::size_t> offspring_counts(std::span<const Species> species,
                                          std::size_t count, bool flat,
                                          const NeatOptions& options);

}  // namespace lamarck::neat
