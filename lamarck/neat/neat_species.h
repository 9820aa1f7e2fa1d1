// Species: groups of similar genomes that share their fitness and breed among
// themselves, which protects new structures until their weights are tuned.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/neat/neat_genome.h"

namespace lamarck::neat {

struct Species {
  std::size_t id = 0;                // Ascending in order of creation.
  Genome representative;             // New members must be close to it.
  std::vector<std::size_t> members;  // Indices into the population.
  std::size_t age = 0;               // In generations.
  std::size_t since_gain = 0;        // Generations since the last record.
  double record = -1;                // Best fitness of all generations.
  double mean = 0;                   // Mean fitness of the members.
  double best = 0;                   // Best fitness of the members.
  bool beat_record = false;          // Whether `best` is a new record.

  bool is_stagnant(const NeatOptions& options) const {
    return since_gain >= options.stagnation;
  }

  // Sorts the members best first and updates all fields that depend on fitness.
  void rank(std::span<const Genome> genomes);
};

// Assigns every genome to the first species whose representative is closer than
// the threshold, or to a new species, and removes species without members. New
// ids start at `next_id`, which is advanced.
void speciate(std::span<const Genome> genomes, double threshold,
              const NeatOptions& options, std::size_t& next_id,
              std::vector<Species>& species);

// Returns the number of offspring of each species, in proportion to its mean
// fitness, which is the sum of its members' shared fitness. Stagnant species
// have none; if `flat`, only the best two breed. The numbers add up to `count`,
// or all are 0 if no species may breed.
//
// REQUIRES: every species was ranked.
std::vector<std::size_t> offspring_counts(std::span<const Species> species,
                                          std::size_t count, bool flat,
                                          const NeatOptions& options);

}  // namespace lamarck::neat
