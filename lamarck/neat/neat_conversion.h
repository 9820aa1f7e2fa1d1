// Genomes as networks of the gradient-based evolution, and back: the champion
// of NEAT goes on learning by gradients, and a trained network goes on in a
// population of NEAT.
//
//   const evolution::Network network = to_network(population.best());
//   ...
//   InnovationTracker tracker(Genome::node_count(inputs, outputs));
//   const Genome genome = to_genome(network, tracker).value();
//   Population next(genome, tracker, options, seed);

#pragma once

#include "lamarck/base/result.h"
#include "lamarck/evolution/network.h"
#include "lamarck/neat/neat_genome.h"

namespace lamarck::neat {

// Returns a network of neurons that computes the same as the genome, step by
// step. The slope of the steep sigmoid moves into the weights. Disabled
// connections are left out. If all outputs are sigmoids, they are the head of
// the network; otherwise its outputs are numbers.
evolution::Network to_network(const Genome& genome);

// Returns a genome that computes the same as the network. `tracker` must start
// after the inputs and outputs, as for Genome::minimal.
//
// Returns an Error if the network has layers, cells, a softmax head, an
// aggregation other than the sum or a leaky_relu, or if a recurrent edge leads
// from a node to a later one, because in a genome the order of the nodes
// decides which connections are recurrent.
Result<Genome> to_genome(const evolution::Network& network,
                         InnovationTracker& tracker);

}  // namespace lamarck::neat
