// Evaluates genomes one after the other.

#pragma once

#include <cstddef>
#include <span>

#include "lamarck/neat/neat_genome.h"
#include "lamarck/neat/neat_network.h"
#include "lamarck/neat/neat_task.h"

namespace lamarck::neat {

// Lets the genomes learn and sets their fitness, up to the first solution.
// Returns its index, or the number of genomes. `network` is for reuse of its
// memory. Throws LogicError if a fitness is negative or not finite, or if a
// genome learned anything but finite weights.
std::size_t evaluate_genomes(const NeatTask& task, std::span<Genome> genomes,
                             FlatNetwork& network);

}  // namespace lamarck::neat
