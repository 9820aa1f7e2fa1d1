#include "lamarck/evolution/network.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "lamarck/base/ensure.h"
#include "lamarck/base/error.h"
#include "lamarck/evolution/internal/orphans.h"
#include "lamarck/evolution/internal/placed_edges.h"

namespace lamarck::evolution {
namespace {

template <class Vector>
void erase_range(Vector& values, std::size_t begin, std::size_t count) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
  values.erase(first, first + static_cast<std::ptrdiff_t>(count));
}

std::string arrow(UnitId from, UnitId to) {
  return std::to_string(from) + " -> " + std::to_string(to);
}

// Whether pooling reduces the image of `from` to the size of `to`.
bool fits_convolution(const NetworkNode& from, const NetworkNode& to) {
  const auto pooled = [&](std::uint32_t size) { return size / to.pool; };
  return pooled(from.extent.height) == to.extent.height &&
         pooled(from.extent.width) == to.extent.width;
}

}  // namespace

std::size_t NetworkNode::gates() const {
  switch (cell) {
    case Cell::Lstm:
      return 4 * width();
    case Cell::Gru:
      return 3 * width();
    case Cell::Conv:
      return extent.channels;
    case Cell::Dense:
      return width();
  }
  return width();
}

std::size_t NetworkNode::own_count() const {
  if (role == Role::Input) return 0;
  const bool has_state = cell == Cell::Lstm || cell == Cell::Gru;
  return gates() * (has_state ? width() + 1 : 1);
}

void NetworkParameters::forget_gradients() {
  for (auto* each : {&means, &squares, &ages}) {
    std::fill(each->begin(), each->end(), 0.0f);
  }
}

Network::Network(NetworkParts parts)
    : nodes_(std::move(parts.nodes)),
      edges_(std::move(parts.edges)),
      parameters_(std::move(parts.parameters)),
      next_id_(parts.next_id),
      head_(parts.head) {}

std::size_t Network::add_parameters(std::size_t count) {
  const std::size_t begin = parameters_.size();
  for (auto* each : {&parameters_.values, &parameters_.means,
                     &parameters_.squares, &parameters_.ages}) {
    each->resize(begin + count, 0.0f);
  }
  return begin;
}

// Closes the gap, so everything stored behind it moves forward.
void Network::remove_parameters(std::size_t begin, std::size_t count) {
  for (auto* each : {&parameters_.values, &parameters_.means,
                     &parameters_.squares, &parameters_.ages}) {
    erase_range(*each, begin, count);
  }
  for (NetworkNode& node : nodes_) {
    if (node.begin > begin) node.begin -= count;
  }
  for (NetworkEdge& edge : edges_) {
    if (edge.begin > begin) edge.begin -= count;
  }
}

UnitId Network::add_input(const Extent& extent) {
  const auto place = std::ranges::find_if(
      nodes_, [](const NetworkNode& node) { return node.role != Role::Input; });
  nodes_.insert(place, {.id = next_id_,
                        .role = Role::Input,
                        .activation = Activation::Identity,
                        .extent = extent});
  return next_id_++;
}

UnitId Network::add_output(std::uint32_t width, Activation activation,
                           std::uint8_t stage) {
  NetworkNode node{.id = next_id_,
                   .role = Role::Output,
                   .activation = activation,
                   .stage = stage,
                   .extent = {.channels = width}};
  node.begin = add_parameters(node.own_count());
  nodes_.push_back(node);
  return next_id_++;
}

UnitId Network::add_hidden(const NetworkNode& like) {
  NetworkNode node = like;
  node.id = next_id_;
  node.role = Role::Hidden;
  node.begin = add_parameters(node.own_count());
  const auto place = std::ranges::find_if(nodes_, [](const NetworkNode& each) {
    return each.role == Role::Output;
  });
  nodes_.insert(place, node);
  return next_id_++;
}

std::size_t Network::weight_count(const NetworkNode& from,
                                  const NetworkNode& to) {
  if (to.cell == Cell::Conv) {
    return std::size_t{to.extent.channels} * from.extent.channels * to.kernel *
           to.kernel;
  }
  return from.width() * to.gates();
}

NetworkEdge Network::make_edge(UnitId from, UnitId to, bool recurrent) const {
  const NetworkNode& target = node(to);
  if (has_edge(from, to, recurrent)) {
    throw LogicError(
        Error(ErrorCode::AlreadyExists,
              "Network: the edge " + arrow(from, to) + " already exists."));
  }
  REQUIRE(target.role != Role::Input,
          "Network: an edge must not lead to an input, got {} -> {}.", from,
          to);
  return {.from = from,
          .to = to,
          .recurrent = recurrent,
          .begin = parameters_.size(),
          .count = weight_count(node(from), target)};
}

void Network::add_edge(UnitId from, UnitId to) {
  const NetworkEdge edge = make_edge(from, to, false);
  if (!can_connect(from, to)) {
    throw LogicError(
        Error(ErrorCode::InvalidArgument,
              "Network::add_edge: the edge " + arrow(from, to) +
                  " would close a cycle, skip a stage, leave an output or "
                  "connect nodes of incompatible sizes."));
  }
  add_parameters(edge.count);
  edges_.push_back(edge);
  if (index_of(from) > index_of(to)) sort_nodes();
}

void Network::add_recurrent_edge(UnitId from, UnitId to) {
  const NetworkEdge edge = make_edge(from, to, true);
  REQUIRE(can_join(node(from), node(to), true),
          "Network::add_recurrent_edge: a recurrent edge must not start at an "
          "input, lead to a convolution or bypass a bottleneck, got {} -> {}.",
          from, to);
  add_parameters(edge.count);
  edges_.push_back(edge);
}

void Network::erase_edge(std::size_t index) {
  const NetworkEdge gone = edges_[index];
  edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(index));
  remove_parameters(gone.begin, gone.count);
}

void Network::remove_edge(UnitId from, UnitId to, bool recurrent) {
  const NetworkEdge& found = edge(from, to, recurrent);
  erase_edge(static_cast<std::size_t>(&found - edges_.data()));
}

void Network::remove_node(UnitId id) {
  const NetworkNode gone = node(id);
  REQUIRE(gone.role == Role::Hidden,
          "Network::remove_node: only hidden nodes can be removed; node {} is "
          "an input or output.",
          id);
  for (std::size_t i = edges_.size(); i-- > 0;) {
    if (edges_[i].from == id || edges_[i].to == id) erase_edge(i);
  }
  const auto place = static_cast<std::ptrdiff_t>(index_of(id));
  // Not gone.begin: removing the edges may have moved the parameters.
  const std::size_t begin = nodes_[index_of(id)].begin;
  nodes_.erase(nodes_.begin() + place);
  remove_parameters(begin, gone.own_count());
}

std::size_t Network::remove_orphans() {
  const std::vector<bool> is_orphan = find_orphans(*this, place_edges(*this));
  std::vector<UnitId> orphans;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (is_orphan[i]) orphans.push_back(nodes_[i].id);
  }
  for (const UnitId id : orphans) remove_node(id);
  return orphans.size();
}

void Network::set_activation(UnitId id, Activation activation) {
  node_at(id).activation = activation;
}

void Network::set_aggregation(UnitId id, Aggregation aggregation) {
  node_at(id).aggregation = aggregation;
}

void Network::set_head(Loss head) {
  head_ = head;
  for (NetworkNode& node : nodes_) {
    if (node.role != Role::Output) continue;
    node.activation = head == Loss::BinaryCrossEntropy ? Activation::Sigmoid
                                                       : Activation::Identity;
  }
}

const NetworkNode& Network::node(UnitId id) const {
  return nodes_[index_of(id)];
}
NetworkNode& Network::node_at(UnitId id) { return nodes_[index_of(id)]; }

std::size_t Network::index_of(UnitId id) const {
  // Inputs come first and mostly have their place as the id; wide tables have
  // many. The others are at the end.
  if (id < nodes_.size() && nodes_[id].id == id) return id;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (nodes_[i].id == id) return i;
  }
  throw LogicError(Error(ErrorCode::NotFound, "Network: there is no node " +
                                                  std::to_string(id) + "."));
}

bool Network::has_node(UnitId id) const {
  return std::ranges::any_of(
      nodes_, [&](const NetworkNode& node) { return node.id == id; });
}

bool Network::has_edge(UnitId from, UnitId to, bool recurrent) const {
  const NetworkEdge wanted{.from = from, .to = to, .recurrent = recurrent};
  return std::ranges::any_of(edges_, [&](const NetworkEdge& edge) {
    return edge.is_same_place(wanted);
  });
}

const NetworkEdge& Network::edge(UnitId from, UnitId to, bool recurrent) const {
  const NetworkEdge wanted{.from = from, .to = to, .recurrent = recurrent};
  const auto found = std::ranges::find_if(edges_, [&](const NetworkEdge& edge) {
    return edge.is_same_place(wanted);
  });
  if (found != edges_.end()) return *found;
  throw LogicError(Error(ErrorCode::NotFound,
                         "Network: there is no edge " + arrow(from, to) + "."));
}

std::span<float> Network::weights(const NetworkEdge& edge) {
  return {parameters_.values.data() + edge.begin, edge.count};
}
std::span<const float> Network::weights(const NetworkEdge& edge) const {
  return {parameters_.values.data() + edge.begin, edge.count};
}
std::span<float> Network::own_parameters(const NetworkNode& node) {
  return {parameters_.values.data() + node.begin, node.own_count()};
}
std::span<const float> Network::own_parameters(const NetworkNode& node) const {
  return {parameters_.values.data() + node.begin, node.own_count()};
}

// Topological sort by repeated selection. It always takes the first node that
// is ready, so the order changes no more than necessary.
void Network::sort_nodes() {
  std::vector<NetworkNode> sorted;
  std::vector<bool> placed(nodes_.size(), false);
  const auto is_ready = [&](std::size_t i) {
    if (placed[i]) return false;
    return std::ranges::none_of(edges_, [&](const NetworkEdge& edge) {
      return !edge.recurrent && edge.to == nodes_[i].id &&
             !placed[index_of(edge.from)];
    });
  };
  while (sorted.size() < nodes_.size()) {
    std::size_t next = 0;
    while (next < nodes_.size() && !is_ready(next)) ++next;
    ENSURE(next < nodes_.size(), "forward edges must not form a cycle");
    placed[next] = true;
    sorted.push_back(nodes_[next]);
  }
  // Inputs have no incoming and outputs no outgoing forward edges, so sorting
  // by role keeps the order topological.
  std::ranges::stable_sort(sorted, {},
                           [](const NetworkNode& node) { return node.role; });
  nodes_ = std::move(sorted);
}

bool Network::can_connect(UnitId from, UnitId to) const {
  const NetworkNode& source = node(from);
  const NetworkNode& target = node(to);
  if (from == to || source.role == Role::Output || target.role == Role::Input ||
      target.stage < source.stage || target.stage > source.stage + 1 ||
      (target.is_bottleneck() && source.is_bottleneck())) {
    return false;
  }
  if (target.cell == Cell::Conv && (!fits_convolution(source, target) ||
                                    !has_size_of_sources(source, target))) {
    return false;
  }
  // Nodes are in topological order, so only an edge that leads backwards can
  // close a cycle.
  return index_of(from) < index_of(to) || !reaches(to, from);
}

}  // namespace lamarck::evolution
