// Queries of a network, its hash and checks, and minimal networks.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lamarck/base/ensure.h"
#include "lamarck/base/hash.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

std::vector<UnitId> Network::nodes_of(Role role) const {
  std::vector<UnitId> ids;
  for (const NetworkNode& node : nodes_) {
    if (node.role == role) ids.push_back(node.id);
  }
  return ids;
}

std::vector<UnitId> Network::changeable_nodes() const {
  std::vector<UnitId> ids;
  for (const NetworkNode& node : nodes_) {
    if (node.role == Role::Hidden && !node.is_bottleneck()) {
      ids.push_back(node.id);
    }
  }
  return ids;
}

std::size_t Network::hidden_count() const {
  return static_cast<std::size_t>(
      std::ranges::count(nodes_, Role::Hidden, &NetworkNode::role));
}

std::size_t Network::hidden_units() const {
  std::size_t sum = 0;
  for (const NetworkNode& node : nodes_) {
    if (node.role == Role::Hidden) sum += node.width();
  }
  return sum;
}

std::size_t Network::forward_edge_count() const {
  return edges_.size() - recurrent_edge_count();
}

std::size_t Network::recurrent_edge_count() const {
  return static_cast<std::size_t>(
      std::ranges::count(edges_, true, &NetworkEdge::recurrent));
}

std::size_t Network::input_width() const {
  std::size_t sum = 0;
  for (const NetworkNode& node : nodes_) {
    if (node.role == Role::Input) sum += node.width();
  }
  return sum;
}

std::size_t Network::output_width() const {
  std::size_t sum = 0;
  for (const NetworkNode& node : nodes_) {
    if (node.role == Role::Output) sum += node.width();
  }
  return sum;
}

bool Network::has_only_neurons() const {
  return std::ranges::all_of(nodes_, [](const NetworkNode& node) {
    return node.width() == 1 && node.cell == Cell::Dense;
  });
}

bool Network::is_recurrent() const {
  return recurrent_edge_count() > 0 ||
         std::ranges::any_of(nodes_, [](const NetworkNode& node) {
           return node.cell == Cell::Lstm || node.cell == Cell::Gru;
         });
}

bool Network::reaches(UnitId from, UnitId to) const {
  if (from == to) return true;
  std::vector<bool> reached(nodes_.size(), false);
  reached[index_of(from)] = true;
  const std::size_t goal = index_of(to);
  // The nodes are in order of computation, so one pass follows every path.
  for (std::size_t i = index_of(from); i < goal; ++i) {
    if (!reached[i]) continue;
    for (const NetworkEdge& edge : edges_) {
      if (!edge.recurrent && edge.from == nodes_[i].id) {
        reached[index_of(edge.to)] = true;
      }
    }
  }
  return reached[goal];
}

bool Network::has_size_of_sources(const NetworkNode& from,
                                  const NetworkNode& to) const {
  return std::ranges::all_of(edges_, [&](const NetworkEdge& edge) {
    if (edge.to != to.id) return true;
    const Extent& other = node(edge.from).extent;
    return other.height == from.extent.height &&
           other.width == from.extent.width;
  });
}

namespace {

// An adjacency matrix over the positions of nodes, for lookups in O(1).
class EdgeMatrix {
 public:
  EdgeMatrix(const Network& network, bool recurrent)
      : size_(network.nodes().size()), cells_(size_ * size_, false) {
    std::map<UnitId, std::size_t> places;
    for (std::size_t i = 0; i < size_; ++i) places[network.nodes()[i].id] = i;
    for (const NetworkEdge& edge : network.edges()) {
      if (edge.recurrent != recurrent) continue;
      cells_[places[edge.from] * size_ + places[edge.to]] = true;
    }
  }
  bool has(std::size_t from, std::size_t to) const {
    return cells_[from * size_ + to];
  }
  // The transitive closure: which nodes are reachable from which. Edges lead to
  // later positions, so going backwards finds the paths of all targets
  // complete.
  EdgeMatrix paths() const {
    EdgeMatrix all = *this;
    for (std::size_t from = size_; from-- > 0;) {
      for (std::size_t via = from + 1; via < size_; ++via) {
        if (!has(from, via)) continue;
        for (std::size_t to = via + 1; to < size_; ++to) {
          if (all.has(via, to)) all.cells_[from * size_ + to] = true;
        }
      }
    }
    return all;
  }

 private:
  std::size_t size_;
  std::vector<bool> cells_;
};

bool is_compatible(const NetworkNode& from, const NetworkNode& to) {
  if (from.role == Role::Output || to.role == Role::Input ||
      to.stage < from.stage || to.stage > from.stage + 1 ||
      (to.is_bottleneck() && from.is_bottleneck())) {
    return false;
  }
  return to.cell != Cell::Conv ||
         (from.extent.height / to.pool == to.extent.height &&
          from.extent.width / to.pool == to.extent.width);
}

}  // namespace

bool Network::can_join(const NetworkNode& from, const NetworkNode& to,
                       bool recurrent) {
  if (!recurrent) return is_compatible(from, to);
  return from.role != Role::Input && to.role != Role::Input &&
         to.cell != Cell::Conv && to.stage <= from.stage + 1;
}

std::vector<Network::Ends> Network::possible_edges() const {
  const EdgeMatrix edges(*this, false);
  const EdgeMatrix paths = edges.paths();
  std::vector<Ends> ends;
  for (std::size_t from = 0; from < nodes_.size(); ++from) {
    for (std::size_t to = 0; to < nodes_.size(); ++to) {
      if (from == to || edges.has(from, to) || paths.has(to, from)) continue;
      if (!is_compatible(nodes_[from], nodes_[to])) continue;
      if (nodes_[to].cell == Cell::Conv &&
          !has_size_of_sources(nodes_[from], nodes_[to])) {
        continue;
      }
      ends.emplace_back(nodes_[from].id, nodes_[to].id);
    }
  }
  return ends;
}

std::vector<Network::Ends> Network::possible_recurrent_edges() const {
  const EdgeMatrix edges(*this, true);
  std::vector<Ends> ends;
  for (std::size_t from = 0; from < nodes_.size(); ++from) {
    for (std::size_t to = 0; to < nodes_.size(); ++to) {
      if (!can_join(nodes_[from], nodes_[to], true) || edges.has(from, to)) {
        continue;
      }
      ends.emplace_back(nodes_[from].id, nodes_[to].id);
    }
  }
  return ends;
}

std::vector<Network::Ends> Network::forward_edges() const {
  std::vector<Ends> ends;
  for (const NetworkEdge& edge : edges_) {
    if (!edge.recurrent) ends.emplace_back(edge.from, edge.to);
  }
  return ends;
}

std::vector<Network::Ends> Network::recurrent_edges() const {
  std::vector<Ends> ends;
  for (const NetworkEdge& edge : edges_) {
    if (edge.recurrent) ends.emplace_back(edge.from, edge.to);
  }
  return ends;
}

namespace {

std::uint64_t combined(std::uint64_t a, std::uint64_t b) {
  return mix64(a ^ (mix64(b) + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2)));
}

std::uint64_t kind_hash(const NetworkNode& node) {
  std::uint64_t hash = mix64(static_cast<std::uint64_t>(node.role) + 1);
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(node.cell),
        static_cast<std::uint64_t>(node.activation),
        static_cast<std::uint64_t>(node.aggregation), std::uint64_t{node.stage},
        std::uint64_t{node.kernel}, std::uint64_t{node.pool},
        std::uint64_t{node.extent.channels}, std::uint64_t{node.extent.height},
        std::uint64_t{node.extent.width}}) {
    hash = combined(hash, part);
  }
  return hash;
}

}  // namespace

// Weisfeiler-Leman color refinement (1968): each node starts with a color for
// its kind, and each round mixes in the colors of its neighbors, until the
// number of distinct colors no longer grows. Inputs and outputs also start with
// their index, because they are not interchangeable.
std::uint64_t Network::topology_hash() const {
  std::map<UnitId, std::size_t> places;
  std::map<Role, std::uint64_t> numbers;
  std::vector<std::uint64_t> colours;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NetworkNode& node = nodes_[i];
    places[node.id] = i;
    std::uint64_t colour = kind_hash(node);
    if (node.role != Role::Hidden)
      colour = combined(colour, numbers[node.role]++);
    colours.push_back(colour);
  }
  const auto kinds = [&] {
    return std::set(colours.begin(), colours.end()).size();
  };
  std::size_t before = 0;
  for (std::size_t now = kinds(); now > before; now = kinds()) {
    before = now;
    // Sums do not depend on the order of edges and nodes.
    std::vector<std::uint64_t> neighbors(nodes_.size(), 0);
    for (const NetworkEdge& edge : edges_) {
      const std::size_t from = places[edge.from];
      const std::size_t to = places[edge.to];
      const std::uint64_t kind = edge.recurrent ? 2 : 1;
      neighbors[to] += combined(colours[from], kind);
      neighbors[from] += combined(colours[to], kind + 2);
    }
    for (std::size_t i = 0; i < colours.size(); ++i) {
      colours[i] = combined(colours[i], neighbors[i]);
    }
  }
  std::uint64_t sum = edges_.size();
  for (const std::uint64_t colour : colours) sum += mix64(colour);
  return mix64(sum);
}

void Network::check() const {
  std::size_t parameters = 0;
  std::vector<bool> used(parameters_.size(), false);
  const auto use = [&](std::size_t begin, std::size_t count) {
    ENSURE(begin + count <= used.size(), "parameter indices must be in range");
    for (std::size_t i = begin; i < begin + count; ++i) {
      ENSURE(!used[i], "a parameter must not be used twice");
      used[i] = true;
    }
    parameters += count;
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NetworkNode& node = nodes_[i];
    ENSURE(i == 0 || nodes_[i - 1].role <= node.role,
           "inputs must come first and outputs last");
    ENSURE(node.id < next_id_ && index_of(node.id) == i,
           "ids must be unique and below next_id");
    ENSURE(node.width() > 0, "the width of a node must be at least 1");
    ENSURE(node.role == Role::Input || node.cell == Cell::Conv ||
               !node.extent.is_image(),
           "only inputs and convolutions may be images");
    use(node.begin, node.own_count());
  }
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const NetworkEdge& edge = edges_[i];
    ENSURE(edge.recurrent || index_of(edge.from) < index_of(edge.to),
           "forward edges must lead to later nodes");
    ENSURE(can_join(node(edge.from), node(edge.to), edge.recurrent),
           "edges must connect compatible nodes");
    ENSURE(node(edge.to).cell != Cell::Conv ||
               has_size_of_sources(node(edge.from), node(edge.to)),
           "the sources of a convolution must have the same size");
    ENSURE(edge.count == weight_count(node(edge.from), node(edge.to)),
           "the number of weights must match the nodes of the edge");
    ENSURE(&this->edge(edge.from, edge.to, edge.recurrent) == &edges_[i],
           "edges must be unique");
    use(edge.begin, edge.count);
  }
  ENSURE(parameters == parameters_.size(), "every parameter must be used");
  ENSURE(parameters_.means.size() == parameters &&
             parameters_.squares.size() == parameters &&
             parameters_.ages.size() == parameters,
         "Adam's state must have the size of the parameters");
}

void draw_weights(Network& network, const NetworkEdge& edge, Rng& rng) {
  std::size_t arriving = 0;
  for (const NetworkEdge& each : network.edges()) {
    if (each.to != edge.to) continue;
    const NetworkNode& to = network.node(each.to);
    arriving += each.count / to.gates();
  }
  // sqrt(6 / n) as in He initialization, but never beyond [-1, 1].
  constexpr double kFew = 6;
  const double range =
      std::min(1.0, std::sqrt(kFew / static_cast<double>(arriving)));
  for (float& weight : network.weights(edge)) {
    weight = static_cast<float>(rng.uniform(-range, range));
  }
}

Network minimal_network(std::size_t inputs, std::size_t outputs,
                        std::uint64_t seed) {
  REQUIRE(inputs > 0 && outputs > 0,
          "minimal_network: inputs and outputs must be at least 1, got {} and "
          "{}.",
          inputs, outputs);
  Network network;
  for (std::size_t i = 0; i < inputs; ++i) network.add_input({});
  for (std::size_t i = 0; i < outputs; ++i) {
    network.add_output(1, Activation::Identity);
  }
  Rng rng = Rng(seed).split("minimal_network");
  for (const UnitId to : network.nodes_of(Role::Output)) {
    for (const UnitId from : network.nodes_of(Role::Input)) {
      network.add_edge(from, to);
    }
  }
  for (const NetworkEdge& edge : network.edges()) {
    draw_weights(network, edge, rng);
  }
  return network;
}

Network minimal_layers(const Extent& inputs, std::size_t outputs,
                       std::uint64_t seed) {
  REQUIRE(inputs.size() > 0 && outputs > 0,
          "minimal_layers: inputs and outputs must be at least 1, got {} and "
          "{}.",
          inputs.size(), outputs);
  Network network;
  const UnitId from = network.add_input(inputs);
  const UnitId to = network.add_output(static_cast<std::uint32_t>(outputs),
                                       Activation::Identity);
  Rng rng = Rng(seed).split("minimal_layers");
  network.add_edge(from, to);
  draw_weights(network, network.edges()[0], rng);
  return network;
}

Network minimal_autoencoder(std::size_t inputs, std::size_t code,
                            std::uint64_t seed) {
  REQUIRE(inputs > 0 && code > 0,
          "minimal_autoencoder: inputs and code must be at least 1, got {} and "
          "{}.",
          inputs, code);
  // Inputs have stage 0, the code is the bottleneck of stage 1, and the outputs
  // have stage 2.
  Network network;
  for (std::size_t i = 0; i < inputs; ++i) network.add_input({});
  for (std::size_t i = 0; i < inputs; ++i) {
    network.add_output(1, Activation::Identity, 2);
  }
  for (std::size_t i = 0; i < code; ++i) {
    const UnitId id =
        network.add_hidden({.activation = Activation::Identity, .stage = 1});
    for (const UnitId from : network.nodes_of(Role::Input)) {
      network.add_edge(from, id);
    }
    for (const UnitId to : network.nodes_of(Role::Output)) {
      network.add_edge(id, to);
    }
  }
  Rng rng = Rng(seed).split("minimal_autoencoder");
  for (const NetworkEdge& edge : network.edges()) {
    draw_weights(network, edge, rng);
  }
  return network;
}

}  // namespace lamarck::evolution
