// Converts a genome to a graph that can be trained by gradient descent, saved
// or exported, and copies trained weights back.

#pragma once

#include <string>

#include "lamarck/graph/graph.h"
#include "lamarck/neat/neat_genome.h"

namespace lamarck::neat {

// Returns a graph with the input "input" [batch, inputs], the node "output"
// [batch, outputs], and a parameter [1, 1] for each enabled connection. It
// computes the same function as FlatNetwork: `forward` of the output is one
// step from a state of 0; with recurrent connections `Graph::step` keeps the
// state.
//
// REQUIRES: the genome has at least one input.
Graph compile(const Genome& genome);

// Returns the name of a connection's parameter, such as "connection_12".
std::string connection_name(Innovation innovation);

// Copies the weights of the graph to the enabled connections of the genome.
// Throws LogicError if the graph lacks one of them, for example because it was
// compiled from another genome.
void take_weights(const Graph& graph, Genome& genome);

}  // namespace lamarck::neat
