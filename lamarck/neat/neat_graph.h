// A genome as a graph, to be trained by gradients, saved or exported, and its
// weights brought back.

#pragma once

#include <string>

#include "lamarck/graph/graph.h"
#include "lamarck/neat/neat_genome.h"

namespace lamarck::neat {

// A graph with the input "input" [batch, inputs], the value "output" [batch,
// outputs], and a parameter [1, 1] for each enabled connection. It computes
// what FlatNetwork does: `forward` of the output is a step from a state of 0;
// if there are recurrent connections, `Graph::step` carries the state on.
// REQUIRES: there is an input.
Graph compile(const Genome& genome);

// "connection_12": the parameter of that innovation.
std::string connection_name(Innovation innovation);

// Takes the weights of a graph that `compile` made of a genome with the same
// connections. Disabled ones keep theirs. Throws LogicError if the graph lacks
// one.
void take_weights(const Graph& graph, Genome& genome);

}  // namespace lamarck::neat
