// A network whose topology evolves.
//
// A node computes activation(aggregate(inputs) + bias); what arrives over an
// edge goes through the edge's own weights first. A node of width 1 is a neuron
// and its edges have one weight each; a wider node is a layer and its edges are
// matrices, or kernels if it convolves. Forward edges never form a cycle;
// recurrent ones carry what their source had at the step before, so they may
// lead anywhere.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/evolution/node_function.h"

namespace lamarck::evolution {

using UnitId = std::uint32_t;  // Of a node; never given twice in a lineage.

enum class Role : std::uint8_t { Input, Hidden, Output };
enum class Cell : std::uint8_t {
  Dense,
  Conv,  // Odd kernels, padded to keep the size, then max pooling by `pool`.
  Lstm,
  Gru,
};

// What a node gives for each row; a vector is {width, 1, 1}.
struct Extent {
  std::uint32_t channels = 1;
  std::uint32_t height = 1;
  std::uint32_t width = 1;

  std::size_t size() const { return std::size_t{channels} * height * width; }
  bool is_image() const { return height > 1 || width > 1; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

struct NetworkNode {
  UnitId id = 0;
  Role role = Role::Hidden;
  Cell cell = Cell::Dense;
  Activation activation = Activation::Tanh;
  Aggregation aggregation = Aggregation::Sum;
  // Forward edges lead to the same stage or the next one. Nodes of an odd stage
  // are a bottleneck: not joined to each other, and never removed or resized.
  std::uint8_t stage = 0;
  std::uint8_t kernel = 1;  // Of Conv: height and width.
  std::uint8_t pool = 1;    // Likewise; 1 does not pool.
  Extent extent;
  std::size_t begin = 0;  // Its own parameters: see own_count.

  std::size_t width() const { return extent.size(); }
  bool is_bottleneck() const { return stage % 2 == 1; }
  // What its parameters are for: 4 for each unit of Lstm, 3 of Gru, else 1.
  std::size_t gates() const;
  // A bias for each gate (of Conv: for each channel), and before them, of Lstm
  // and Gru, a matrix from its own last values to the gates.
  std::size_t own_count() const;
};

struct NetworkEdge {
  UnitId from = 0;
  UnitId to = 0;
  bool recurrent = false;
  std::size_t begin = 0;  // Where its weights begin.
  // [from, to] of matrices, [to, from, kernel, kernel] of convolutions.
  std::size_t count = 1;

  bool is_same_place(const NetworkEdge& other) const {
    return from == other.from && to == other.to && recurrent == other.recurrent;
  }
};

// What is learnt, and what Adam remembers of it. All of one length; a mutation
// takes along what it does not touch.
struct NetworkParameters {
  std::vector<float> values;
  std::vector<float> means;    // Of the gradient.
  std::vector<float> squares;  // Of the gradient.
  std::vector<float> ages;     // Steps since it was new.

  std::size_t size() const { return values.size(); }
  void forget_gradients();  // Means, squares and ages become 0.
  friend bool operator==(const NetworkParameters&,
                         const NetworkParameters&) = default;
};

// All of a network, for those who write it down and read it again.
struct NetworkParts {
  std::vector<NetworkNode> nodes;
  std::vector<NetworkEdge> edges;
  NetworkParameters parameters;
  UnitId next_id = 0;
  Loss head = Loss::MeanSquared;
};

// A value: copies are independent, and cheap as long as networks are small.
// Mistakes (an unknown node, an edge that is there already, a cycle) throw
// LogicError and change nothing.
class Network {
 public:
  Network() = default;
  // REQUIRES: check() finds nothing wrong; it is not called.
  explicit Network(NetworkParts parts);

  // Building blocks. A new hidden node has no edges; bias 0.
  UnitId add_input(const Extent& extent);
  UnitId add_output(std::uint32_t width, Activation activation,
                    std::uint8_t stage = 0);
  UnitId add_hidden(const NetworkNode& like);  // Its id and role are given.

  // Weights begin at 0.
  void add_edge(UnitId from, UnitId to);
  void add_recurrent_edge(UnitId from, UnitId to);
  void remove_edge(UnitId from, UnitId to, bool recurrent);
  // With all its edges. REQUIRES: it is hidden.
  void remove_node(UnitId id);
  // Hidden nodes that lead nowhere or that nothing reaches, one after the
  // other; a self-loop alone counts for nothing. Returns how many.
  std::size_t remove_orphans();
  // Another number of units or channels: those in `kept` stay with their
  // weights and become the first ones; the rest begins with weights of 0.
  // REQUIRES: it is hidden; kept.size() <= channels.
  void resize(UnitId id, std::span<const std::uint32_t> kept,
              std::uint32_t channels);
  void set_activation(UnitId id, Activation activation);
  void set_aggregation(UnitId id, Aggregation aggregation);

  // In an order in which they can be computed: inputs first, outputs last.
  std::span<const NetworkNode> nodes() const { return nodes_; }
  std::span<const NetworkEdge> edges() const { return edges_; }
  const NetworkNode& node(UnitId id) const;
  std::size_t place_of(UnitId id) const;  // In nodes().
  bool has_node(UnitId id) const;
  bool has_edge(UnitId from, UnitId to, bool recurrent) const;
  const NetworkEdge& edge(UnitId from, UnitId to, bool recurrent) const;

  std::vector<UnitId> nodes_of(Role role) const;
  std::vector<UnitId> hidden_nodes() const { return nodes_of(Role::Hidden); }
  // Hidden and no bottleneck.
  std::vector<UnitId> changeable_nodes() const;
  std::size_t hidden_count() const;
  std::size_t hidden_units() const;  // The sum of their widths.
  std::size_t forward_edge_count() const;
  std::size_t recurrent_edge_count() const;
  std::size_t input_width() const;
  std::size_t output_width() const;
  // All nodes are neurons: width 1 and Dense.
  bool is_narrow() const;
  // It remembers: recurrent edges, Lstm or Gru.
  bool is_recurrent() const;

  using Ends = std::pair<UnitId, UnitId>;  // From, to.
  // Where a forward edge can be added without a cycle.
  std::vector<Ends> possible_edges() const;
  // No input at either end, and no way around a bottleneck; self-loops are
  // possible.
  std::vector<Ends> possible_recurrent_edges() const;
  std::vector<Ends> forward_edges() const;
  std::vector<Ends> recurrent_edges() const;
  bool can_connect(UnitId from, UnitId to) const;  // If there were no edge.

  // Of an edge between such nodes, wherever they stand.
  static std::size_t weight_count(const NetworkNode& from,
                                  const NetworkNode& to);
  static bool can_join(const NetworkNode& from, const NetworkNode& to,
                       bool recurrent);

  // How its outputs are read and learnt: numbers, probabilities each for
  // itself, or probabilities that sum to 1. Sets what the outputs compute.
  Loss head() const { return head_; }
  void set_head(Loss head);

  NetworkParameters& parameters() { return parameters_; }
  const NetworkParameters& parameters() const { return parameters_; }
  std::span<float> weights(const NetworkEdge& edge);
  std::span<const float> weights(const NetworkEdge& edge) const;
  std::span<float> own_parameters(const NetworkNode& node);
  std::span<const float> own_parameters(const NetworkNode& node) const;

  // The same for networks of the same topology, however their nodes came to
  // be, and whatever their weights.
  std::uint64_t topology_hash() const;

  UnitId next_id() const { return next_id_; }
  void set_next_id(UnitId id) { next_id_ = id; }

  // Throws LogicError if anything about it is not as promised above.
  void check() const;

 private:
  std::size_t add_parameters(std::size_t count);
  void remove_parameters(std::size_t begin, std::size_t count);
  void erase_edge(std::size_t index);
  NetworkEdge made_edge(UnitId from, UnitId to, bool recurrent) const;
  bool reaches(UnitId from, UnitId to) const;
  // As what `to`, a convolution, reads already.
  bool is_as_large(const NetworkNode& from, const NetworkNode& to) const;
  void sort_nodes();
  NetworkNode& node_at(UnitId id);

  std::vector<NetworkNode> nodes_;
  std::vector<NetworkEdge> edges_;
  NetworkParameters parameters_;
  UnitId next_id_ = 0;
  Loss head_ = Loss::MeanSquared;
};

// Every input and output a neuron, every output fed by every input with weights
// that `seed` draws from [-1, 1]; no hidden node.
Network minimal_network(std::size_t inputs, std::size_t outputs,
                        std::uint64_t seed = 0);
// The same with one node for all inputs and one for all outputs.
Network minimal_layers(const Extent& inputs, std::size_t outputs,
                       std::uint64_t seed = 0);
// Inputs, `code` neurons and as many outputs as inputs, which learn to be the
// inputs again: whatever grows, all goes through the code.
Network minimal_autoencoder(std::size_t inputs, std::size_t code,
                            std::uint64_t seed = 0);

// Fills weights with numbers from [-1, 1], less where many inputs add up.
void draw_weights(Network& network, const NetworkEdge& edge, Rng& rng);

}  // namespace lamarck::evolution
