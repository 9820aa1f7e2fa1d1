// A network as a graph: to train wide layers by products of matrices, to save,
// to export, and to go on with by hand.

#pragma once

#include <string>
#include <vector>

#include "lamarck/evolution/network.h"
#include "lamarck/graph/graph.h"

namespace lamarck::evolution {

// A graph whose input "input" is [batch, inputs] and whose value "output" is
// [batch, outputs]: what the outputs give, with a head of cross entropy their
// probabilities. Node 7 has the parameters "node_7.weight", all edges to it one
// below the other, and "node_7.bias"; of Lstm and Gru also "node_7.state". If
// the network is recurrent, `forward` is a first step and Graph::step carries
// the memories on. A node with several edges gets an aggregate of its own.
Graph to_graph(const Network& network);

// The value before softmax or sigmoid, which losses are computed from, is
// called "logits" in such a graph.

// The parameters of the graph, one after the other in the order of
// graph.parameters(), as places in the network's parameters.
std::vector<std::size_t> parameter_places(const Network& network);

// Takes the weights of a graph that `to_graph` made of the same topology.
// Throws LogicError if a parameter is missing or has another size. The prefix
// is what `add_parameters` was told.
void take_weights(const Graph& graph, Network& network,
                  const std::string& prefix = "");

// What `to_graph` does, in two steps and inside a graph that is there already:
// the parameters "<prefix>node_7.weight" and so on, in the order of
// `parameter_places`, and what is computed from an input [batch, inputs].
std::vector<Var> add_parameters(const Graph& graph, const Network& network,
                                const std::string& prefix);

struct NetworkNames {
  std::string parameters;  // What their names begin with.
  std::string memories;    // Likewise; no two of a graph have the same name.
};
struct NetworkVars {
  Var logits;
  Var output;
};
NetworkVars add_network(const Network& network, const Var& input,
                        const NetworkNames& names);

}  // namespace lamarck::evolution
