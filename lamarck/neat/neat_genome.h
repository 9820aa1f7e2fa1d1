// The genes of a network whose topology evolves (Stanley and Miikkulainen,
// 2002).
//
// Every node has an order key: inputs 0, outputs 1, a node that splits a
// connection something between its ends. A connection leads forward if the key
// grows along it, else it carries what its source had at the step before; so
// there is never a cycle to look for, whatever mutation and crossover do.

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
  double order = 0;  // Ties are broken by id.

  friend bool operator==(const NodeGene&, const NodeGene&) = default;
};

// Whether `a` is computed before `b`.
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
  double fitness = 0;  // Of the last evaluation.

  Genome() = default;  // Nothing in it yet.
  // Bias (node 0), inputs and outputs, each output connected to all of the
  // others with weight 0. REQUIRES: the tracker begins after these nodes.
  static Genome minimal(std::size_t inputs, std::size_t outputs,
                        InnovationTracker& tracker);
  // 1 + inputs + outputs: where a tracker of such genomes begins.
  static NeatNodeId node_count(std::size_t inputs, std::size_t outputs);

  // In the order of evaluation: bias, inputs, hidden, outputs, and what splits
  // a connection between outputs.
  std::span<const NodeGene> nodes() const { return nodes_; }
  // By innovation.
  std::span<const ConnectionGene> connections() const { return connections_; }
  std::size_t input_count() const { return inputs_; }  // Without the bias.
  std::size_t output_count() const { return outputs_; }
  std::size_t hidden_count() const;
  std::size_t enabled_count() const;
  // Throws LogicError of kind node_not_found.
  const NodeGene& node(NeatNodeId id) const;
  bool has_node(NeatNodeId id) const;
  bool has_connection(NeatNodeId from, NeatNodeId to) const;
  bool is_recurrent(const ConnectionGene& connection) const;
  // Throws LogicError of kind invalid_innovation if it is not in this genome.
  const ConnectionGene& connection(Innovation innovation) const;
  void set_weight(Innovation innovation, float weight);
  void set_enabled(Innovation innovation, bool enabled);
  void set_activation(NeatNodeId id, NodeActivation activation);

  // Throws LogicError of kind connection_exists if they are connected.
  // REQUIRES: both nodes are there; `to` is no input.
  void add_connection(NeatNodeId from, NeatNodeId to, float weight,
                      InnovationTracker& tracker);
  // Puts a node into the connection, which becomes disabled: weight 1 into the
  // node, the old weight out of it. Returns the node.
  NeatNodeId split_connection(Innovation innovation,
                              InnovationTracker& tracker);

  void randomize_weights(double range, Rng& rng);
  void mutate_weights(const NeatOptions& options, Rng& rng);
  // Return whether a place was found.
  bool mutate_add_connection(const NeatOptions& options,
                             InnovationTracker& tracker, Rng& rng);
  bool mutate_add_node(const NeatOptions& options, InnovationTracker& tracker,
                       Rng& rng);
  void mutate_toggle(Rng& rng);
  // All of the above with the probabilities of the options.
  void mutate(const NeatOptions& options, InnovationTracker& tracker, Rng& rng);

  // Has the topology of the fitter parent, of equals the smaller one; the
  // weight of a shared gene comes from either.
  static Genome crossover(const Genome& a, const Genome& b,
                          const NeatOptions& options, Rng& rng);
  // Likewise into this genome, whose memory is used again. It is neither of
  // them.
  void assign_crossover(const Genome& a, const Genome& b,
                        const NeatOptions& options, Rng& rng);
  // Not divided by the number of genes: topology would count for nothing in
  // larger genomes.
  double distance(const Genome& other, const NeatOptions& options) const;
  // Whether the distance is below the threshold; cheaper than to measure it.
  bool is_near(const Genome& other, const NeatOptions& options,
               double threshold) const;

  // Of genes, not of fitness.
  friend bool operator==(const Genome& a, const Genome& b) {
    return a.nodes_ == b.nodes_ && a.connections_ == b.connections_;
  }

 private:
  std::size_t index_of(Innovation innovation, const char* where) const;
  void insert_connection(const ConnectionGene& gene);
  double distance_up_to(const Genome& other, const NeatOptions& options,
                        double most) const;

  std::vector<NodeGene> nodes_;
  std::vector<ConnectionGene> connections_;
  std::uint64_t marks_ = 0;  // Bit i: there is an innovation i modulo 64.
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
};

}  // namespace lamarck::neat
