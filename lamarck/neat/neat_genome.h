// The genome of a network whose topology evolves (Stanley and Miikkulainen,
// 2002).
//
// Every node has an order key: 0 for inputs, 1 for outputs, and a value between
// its ends for a node that splits a connection. A connection is a forward one
// if the key increases along it; otherwise it is recurrent and carries the
// value of the previous step. Mutation and crossover therefore never create a
// cycle.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/neat/neat_innovation.h"
#include "lamarck/neat/neat_options.h"

namespace lamarck::neat {

enum class NodeKind : std::uint8_t { Bias, Input, Hidden, Output };
// SteepSigmoid is 1 / (1 + exp(-4.9 x)).
enum class NodeActivation : std::uint8_t { SteepSigmoid, Tanh, Relu, Identity };

struct NodeGene {
  NeatNodeId id = 0;
  NodeKind kind = NodeKind::Hidden;
  NodeActivation activation = NodeActivation::SteepSigmoid;
  double order = 0;  // The order key; ties are broken by id.

  friend bool operator==(const NodeGene&, const NodeGene&) = default;
};

// Returns whether `a` is computed before `b`.
inline bool comes_before(const NodeGene& a, const NodeGene& b) {
  return a.order != b.order ? a.order < b.order : a.id < b.id;
}

struct ConnectionGene {
  Innovation innovation = 0;
  NeatNodeId from = 0;
  NeatNodeId to = 0;
  float weight = 0;
  bool enabled = true;

  friend bool operator==(const ConnectionGene&,
                         const ConnectionGene&) = default;
};

class Genome {
 public:
  double fitness = 0;  // Result of the last evaluation.

  Genome() = default;  // Empty.

  // Returns a genome of bias (node 0), inputs and outputs in which the bias and
  // every input are connected to every output with weight 0.
  //
  // REQUIRES: at least one output, and a tracker that starts after these nodes.
  static Genome minimal(std::size_t inputs, std::size_t outputs,
                        InnovationTracker& tracker);

  // Rebuilds a genome from its genes, in the order of the accessors below.
  static Genome assemble(std::size_t inputs, std::size_t outputs,
                         std::vector<NodeGene> nodes,
                         const std::vector<ConnectionGene>& connections);

  // Returns 1 + inputs + outputs, the first node id of a tracker for such
  // genomes.
  static NeatNodeId node_count(std::size_t inputs, std::size_t outputs);

  // Sorted by order key: bias, inputs, hidden nodes, outputs. Nodes that split
  // a connection between outputs come last.
  std::span<const NodeGene> nodes() const { return nodes_; }
  // Sorted by innovation.
  std::span<const ConnectionGene> connections() const { return connections_; }
  std::size_t input_count() const { return inputs_; }  // Without the bias.
  std::size_t output_count() const { return outputs_; }
  std::size_t hidden_count() const;
  std::size_t enabled_count() const;
  // Throws a LogicError of kind node_not_found if there is no such node.
  const NodeGene& node(NeatNodeId id) const;
  bool has_node(NeatNodeId id) const;
  bool has_connection(NeatNodeId from, NeatNodeId to) const;
  bool is_recurrent(const ConnectionGene& connection) const;
  // The next three throw LogicError of kind invalid_innovation if this genome
  // lacks the innovation.
  const ConnectionGene& connection(Innovation innovation) const;
  void set_weight(Innovation innovation, float weight);
  void set_enabled(Innovation innovation, bool enabled);
  void set_activation(NeatNodeId id, NodeActivation activation);

  // Throws a LogicError of kind connection_exists if the nodes are connected.
  //
  // REQUIRES: both nodes exist; `to` is neither the bias nor an input.
  void add_connection(NeatNodeId from, NeatNodeId to, float weight,
                      InnovationTracker& tracker);
  // Disables the connection and replaces it by a new node with two connections:
  // weight 1 into the node, the old weight out of it. Returns the node.
  NeatNodeId split_connection(Innovation innovation,
                              InnovationTracker& tracker);

  // Adds a hidden node without connections. REQUIRES: 0 < order < 1.
  NeatNodeId add_hidden(NodeActivation activation, double order,
                        InnovationTracker& tracker);

  void randomize_weights(double range, Rng& rng);
  void mutate_weights(const NeatOptions& options, Rng& rng);
  // These two return false if they find no place for the new gene.
  bool mutate_add_connection(const NeatOptions& options,
                             InnovationTracker& tracker, Rng& rng);
  bool mutate_add_node(const NeatOptions& options, InnovationTracker& tracker,
                       Rng& rng);
  void mutate_toggle(Rng& rng);  // Enables or disables a random connection.
  // Applies all mutations with the probabilities of the options.
  void mutate(const NeatOptions& options, InnovationTracker& tracker, Rng& rng);

  // Returns a child with the topology of the fitter parent, or of the smaller
  // one if they are equally fit. Each matching gene has the weight of a random
  // parent.
  static Genome crossover(const Genome& a, const Genome& b,
                          const NeatOptions& options, Rng& rng);
  // Assigns such a child to this genome and reuses its memory.
  //
  // REQUIRES: this genome is neither parent.
  void assign_crossover(const Genome& a, const Genome& b,
                        const NeatOptions& options, Rng& rng);
  // Returns the compatibility distance. It is not divided by the number of
  // genes: otherwise topology would hardly count in large genomes.
  double distance(const Genome& other, const NeatOptions& options) const;
  // Returns whether the distance is below the threshold. Faster than
  // distance().
  bool is_near(const Genome& other, const NeatOptions& options,
               double threshold) const;

  // Compares genes and ignores fitness.
  friend bool operator==(const Genome& a, const Genome& b) {
    return a.nodes_ == b.nodes_ && a.connections_ == b.connections_;
  }

 private:
  std::size_t index_of(Innovation innovation, const char* where) const;
  void insert_connection(const ConnectionGene& gene);
  double distance_up_to(const Genome& other, const NeatOptions& options,
                        double limit) const;

  std::vector<NodeGene> nodes_;
  std::vector<ConnectionGene> connections_;
  std::uint64_t marks_ = 0;  // Bit i: has an innovation equal to i modulo 64.
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
};

}  // namespace lamarck::neat
