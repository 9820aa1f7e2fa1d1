// Makes a graph evolvable: layers that were written by hand, loaded or imported
// become the nodes of a network, which then grows without losing what it knows.
//
//   const GraphConversion model = convert_graph(net(x)).value();
//   const EvolutionResult result =
//       Evolution{.network = model.network, .task = ...}.run().value();
//   const Var y = model.add_to_graph(result.network, "evolved");

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/evolution/network.h"
#include "lamarck/graph/graph.h"

namespace lamarck::evolution {

struct GraphConversion {
  Network network;
  // The nodes of the graph that the network reads, in the order of its inputs.
  // Usually this is the input of the graph.
  std::vector<Var> sources;
  // Whether the graph computes whole sequences [steps, batch, features]. The
  // network then computes one step at a time.
  bool is_sequence = false;

  // Whether a source is not an input of the graph, but computed by operations
  // that do not evolve. `features` computes them for a batch of inputs.
  bool has_fixed_part() const;
  // The rows [batch, inputs] that the network reads. REQUIRES: the sources
  // depend on one input of the graph; `inputs` has its shape, but for the
  // batch.
  Tensor features(const Tensor& inputs) const;

  // Adds an evolved network to the graph that was converted, behind the
  // sources. Its parameters are "<name>.node_7.weight" and so on. Returns its
  // output, or its logits if the head is a cross entropy and `logits` is true.
  // REQUIRES: !is_sequence.
  Var add_to_graph(const Network& evolved, const std::string& name,
                   bool logits = false) const;
};

// Converts everything that `output` depends on: matrix products with biases,
// convolutions of odd kernels that keep the size, max pooling behind them,
// batch norm (with its running statistics, merged into the weights), tanh,
// sigmoid, relu and leaky_relu, lstm, gru and rnn, sums, concatenations and
// reshapes between them. A softmax or sigmoid at the end becomes the head.
// Dropout is left out. Anything else, and whatever only it depends on, stays a
// fixed part in front of the network. The network computes the same outputs as
// the graph does in evaluation mode.
//
// Returns an Error if nothing between the fixed part and the output can evolve.
Result<GraphConversion> convert_graph(const Var& output);
// The same for the node "output" of a graph, or for the only node that no other
// node reads.
Result<GraphConversion> convert_graph(const Graph& graph);

}  // namespace lamarck::evolution
