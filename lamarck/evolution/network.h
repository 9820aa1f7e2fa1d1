// A network whose topology evolves.
//
// A node computes activation(aggregate(inputs) + bias), where each input is the
// value of a source multiplied by the weights of its edge. A node of width 1 is
// a neuron; edges between neurons have one weight. A wider node is a layer; its
// edges are matrices, or kernels if it is a convolution. Forward edges never
// form a cycle. Recurrent edges carry the value that their source had at the
// previous step, so they may form cycles.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/evolution/node_function.h"

namespace lamarck {
class Graph;
class Var;
}  // namespace lamarck

namespace lamarck::evolution {

using UnitId = std::uint32_t;  // Identifies a node; unique in a lineage.

enum class Role : std::uint8_t { Input, Hidden, Output };
enum class Cell : std::uint8_t {
  Dense,
  Conv,  // Odd kernel, padded to keep the size, then max pooling by `pool`.
  Lstm,
  Gru,
};

// The shape of a node's value for one row; a vector is {width, 1, 1}.
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
  // form a bottleneck: they are not connected to each other, and mutations
  // never remove or resize them.
  std::uint8_t stage = 0;
  std::uint8_t kernel = 1;  // For Conv: its height and width.
  std::uint8_t pool = 1;    // For Conv: its height and width; 1: no pooling.
  Extent extent;
  std::size_t begin = 0;  // Index of its own parameters, see own_count.

  std::size_t width() const { return extent.size(); }
  bool is_bottleneck() const { return stage % 2 == 1; }
  // The number of biases: 4 per unit for Lstm, 3 per unit for Gru, one per
  // channel for Conv, one per unit for Dense.
  std::size_t gates() const;
  // The number of own parameters: a bias for each gate. Lstm and Gru also have,
  // in front of the biases, a [width, gates] matrix for their previous values.
  std::size_t own_count() const;
};

struct NetworkEdge {
  UnitId from = 0;
  UnitId to = 0;
  bool recurrent = false;
  std::size_t begin = 0;  // Index of its first weight.
  // The number of weights. They are a matrix [from, to], or for a convolution
  // [to, from, kernel, kernel].
  std::size_t count = 1;

  bool is_same_place(const NetworkEdge& other) const {
    return from == other.from && to == other.to && recurrent == other.recurrent;
  }
};

// The weights and biases, and Adam's state for each of them. All vectors have
// the same size. Mutations keep the entries of the parts they do not touch.
struct NetworkParameters {
  std::vector<float> values;
  std::vector<float> means;    // First moments of the gradient.
  std::vector<float> squares;  // Second moments of the gradient.
  std::vector<float> ages;     // Adam steps taken so far.

  std::size_t size() const { return values.size(); }
  void forget_gradients();  // Sets means, squares and ages to 0.
  friend bool operator==(const NetworkParameters&,
                         const NetworkParameters&) = default;
};

// The complete content of a network, for readers and writers of files.
struct NetworkParts {
  std::vector<NetworkNode> nodes;
  std::vector<NetworkEdge> edges;
  NetworkParameters parameters;
  UnitId next_id = 0;
  Loss head = Loss::MeanSquared;
};

// A value type: copies are independent, and cheap while networks are small.
// Mistakes (an unknown node, a duplicate edge, a cycle) throw LogicError and
// leave the network unchanged.
class Network {
 public:
  Network() = default;
  // REQUIRES: the parts pass check(). The constructor does not call it.
  explicit Network(NetworkParts parts);
  // The layers behind an output, or behind the node "output" of a graph, with
  // their weights; see convert_graph, which also takes graphs of which a part
  // cannot evolve. Implicit, so that Evolution takes them. Throw LogicError if
  // the graph has such a part.
  Network(const Var& output);   // NOLINT(google-explicit-constructor)
  Network(const Graph& graph);  // NOLINT(google-explicit-constructor)

  // Editing. A new node has no edges, and its parameters are 0.
  UnitId add_input(const Extent& extent);
  UnitId add_output(std::uint32_t width, Activation activation,
                    std::uint8_t stage = 0);
  UnitId add_hidden(const NetworkNode& like);  // Ignores its id and role.

  // The weights of a new edge are 0.
  void add_edge(UnitId from, UnitId to);
  void add_recurrent_edge(UnitId from, UnitId to);
  void remove_edge(UnitId from, UnitId to, bool recurrent);
  // Also removes all its edges. REQUIRES: the node is hidden.
  void remove_node(UnitId id);
  // Removes hidden nodes without an incoming or without an outgoing edge, until
  // there are none left. Self-loops do not count as edges. Returns how many
  // nodes it removed.
  std::size_t remove_orphans();
  // Changes the number of units or channels. The units in `kept` become the
  // first ones and keep their weights; the weights of all others are 0.
  // REQUIRES: the node is hidden; kept.size() <= channels.
  void resize(UnitId id, std::span<const std::uint32_t> kept,
              std::uint32_t channels);
  void set_activation(UnitId id, Activation activation);
  void set_aggregation(UnitId id, Aggregation aggregation);

  // In order of computation: inputs first, outputs last.
  std::span<const NetworkNode> nodes() const { return nodes_; }
  std::span<const NetworkEdge> edges() const { return edges_; }
  const NetworkNode& node(UnitId id) const;
  std::size_t index_of(UnitId id) const;  // In nodes().
  bool has_node(UnitId id) const;
  bool has_edge(UnitId from, UnitId to, bool recurrent) const;
  const NetworkEdge& edge(UnitId from, UnitId to, bool recurrent) const;

  std::vector<UnitId> nodes_of(Role role) const;
  std::vector<UnitId> hidden_nodes() const { return nodes_of(Role::Hidden); }
  // Hidden nodes that are not part of a bottleneck.
  std::vector<UnitId> changeable_nodes() const;
  std::size_t hidden_count() const;
  std::size_t hidden_units() const;  // The sum of the hidden nodes' widths.
  std::size_t forward_edge_count() const;
  std::size_t recurrent_edge_count() const;
  std::size_t input_width() const;
  std::size_t output_width() const;
  // Whether all nodes are neurons: width 1 and Dense. Such networks are trained
  // by NeuronPlan, all others as graphs.
  bool has_only_neurons() const;
  // Whether it has recurrent edges, Lstm or Gru cells.
  bool is_recurrent() const;

  using Ends = std::pair<UnitId, UnitId>;  // From, to.
  // Where add_edge would succeed.
  std::vector<Ends> possible_edges() const;
  // Where add_recurrent_edge would succeed: neither end is an input, the target
  // is not a convolution, and the edge does not bypass a bottleneck. Self-loops
  // are allowed.
  std::vector<Ends> possible_recurrent_edges() const;
  std::vector<Ends> forward_edges() const;
  std::vector<Ends> recurrent_edges() const;
  // Whether a forward edge is valid, even if there is one already.
  bool can_connect(UnitId from, UnitId to) const;

  // The number of weights of an edge between such nodes.
  static std::size_t weight_count(const NetworkNode& from,
                                  const NetworkNode& to);
  // Whether stages, roles and sizes allow an edge; ignores cycles.
  static bool can_join(const NetworkNode& from, const NetworkNode& to,
                       bool recurrent);

  // The loss of the outputs, which also decides what they mean: numbers,
  // independent probabilities, or probabilities that sum to 1.
  Loss head() const { return head_; }
  // Also sets the activation of the outputs to match.
  void set_head(Loss head);

  NetworkParameters& parameters() { return parameters_; }
  const NetworkParameters& parameters() const { return parameters_; }
  std::span<float> weights(const NetworkEdge& edge);
  std::span<const float> weights(const NetworkEdge& edge) const;
  std::span<float> own_parameters(const NetworkNode& node);
  std::span<const float> own_parameters(const NetworkNode& node) const;

  // Equal for networks of equal topology, independent of ids, of the order of
  // nodes and edges, and of weights.
  std::uint64_t topology_hash() const;

  UnitId next_id() const { return next_id_; }
  void set_next_id(UnitId id) { next_id_ = id; }

  // Throws InvariantError if an invariant of the class is broken.
  void check() const;

 private:
  std::size_t add_parameters(std::size_t count);
  void remove_parameters(std::size_t begin, std::size_t count);
  void erase_edge(std::size_t index);
  NetworkEdge make_edge(UnitId from, UnitId to, bool recurrent) const;
  bool reaches(UnitId from, UnitId to) const;
  // Whether `from` has the height and width of the other sources of `to`.
  bool has_size_of_sources(const NetworkNode& from,
                           const NetworkNode& to) const;
  void sort_nodes();
  NetworkNode& node_at(UnitId id);

  std::vector<NetworkNode> nodes_;
  std::vector<NetworkEdge> edges_;
  NetworkParameters parameters_;
  UnitId next_id_ = 0;
  Loss head_ = Loss::MeanSquared;
};

// A network of neurons without hidden nodes, in which every input feeds every
// output. `seed` determines the weights, drawn from [-1, 1].
Network minimal_network(std::size_t inputs, std::size_t outputs,
                        std::uint64_t seed = 0);
// The same with one layer for all inputs and one for all outputs.
Network minimal_layers(const Extent& inputs, std::size_t outputs,
                       std::uint64_t seed = 0);
// An autoencoder: inputs, a bottleneck of `code` neurons, and as many outputs
// as inputs. However it grows, all information passes through the bottleneck.
Network minimal_autoencoder(std::size_t inputs, std::size_t code,
                            std::uint64_t seed = 0);

// Draws the weights of an edge uniformly from [-1, 1]. The range shrinks where
// more than six inputs are added up, so that the sum keeps its scale.
void draw_weights(Network& network, const NetworkEdge& edge, Rng& rng);

}  // namespace lamarck::evolution
