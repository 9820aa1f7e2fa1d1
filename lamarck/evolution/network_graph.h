// Converts a network to a graph: to train wide layers with matrix products, to
// save and export it, and to extend it by hand.

#pragma once

#include <string>
#include <vector>

#include "lamarck/evolution/network.h"
#include "lamarck/graph/graph.h"

namespace lamarck::evolution {

// Returns a graph that maps "input" [batch, inputs] to "output" [batch,
// outputs]. With a cross-entropy head the outputs are probabilities; "logits"
// is the value before softmax or sigmoid, from which losses are computed. Node
// 7 has the parameters "node_7.weight", which stacks the matrices of its
// incoming edges, and "node_7.bias"; Lstm and Gru also have "node_7.state". If
// the network is recurrent, `forward` computes the first step and Graph::step
// carries the state forward.
Graph to_graph(const Network& network);

// For each number in graph.parameters(), in that order, its index in the
// network's parameters.
std::vector<std::size_t> parameter_places(const Network& network);

// Copies the weights of a graph back to a network of the same topology.
// `prefix` is the one given to `add_parameters`. Throws LogicError if a
// parameter is missing or has another size.
void take_weights(const Graph& graph, Network& network,
                  const std::string& prefix = "");

// The two steps of `to_graph`, for use inside an existing graph. This one adds
// the parameters "<prefix>node_7.weight" and so on, in the order of
// `parameter_places`.
std::vector<Var> add_parameters(const Graph& graph, const Network& network,
                                const std::string& prefix);

struct NetworkNames {
  std::string parameters;  // Prefix of the parameters' names.
  std::string memories;    // Prefix of the state's names, unique in the graph.
};
struct NetworkVars {
  Var logits;
  Var output;
};
// This one computes the outputs for `input`, which is [batch, inputs].
NetworkVars add_network(const Network& network, const Var& input,
                        const NetworkNames& names);

}  // namespace lamarck::evolution
