#include "lamarck/evolution/internal/layer_mutations.h"

#include <algorithm>
#include <cmath>

namespace lamarck::evolution {
namespace {

constexpr std::uint32_t kMaxLayerWidth = 512;
constexpr std::uint32_t kMaxChannels = 64;  // For convolutions.
constexpr std::size_t kMaxLayers = 24;

bool has_room_for_layer(const Network& network, const MutationLimits& limits) {
  return network.hidden_count() < kMaxLayers &&
         network.hidden_units() < limits.max_hidden &&
         network.parameters().size() < limits.max_parameters;
}

// Half of first_width, the same, or double.
std::uint32_t draw_width(const MutationLimits& limits, Rng& rng) {
  const std::uint32_t first = std::min(kMaxLayerWidth, limits.first_width);
  return std::min(kMaxLayerWidth, std::max(1u, first / 2) << rng.below(3));
}

// Draws the weights of all edges to a node, and initializes its own parameters.
void draw_all_to(Network& network, UnitId id, Rng& rng) {
  for (const NetworkEdge& edge : network.edges()) {
    if (edge.to == id) draw_weights(network, edge, rng);
  }
  // The matrix of a cell for its previous values.
  const NetworkNode node = network.node(id);
  const std::span<float> own = network.own_parameters(node);
  const double range = 1 / std::sqrt(static_cast<double>(node.width()));
  for (float& weight : own.first(own.size() - node.gates())) {
    weight = static_cast<float>(rng.uniform(-range, range));
  }
  // The forget gates of an LSTM, the second quarter, start open, so that it
  // remembers long enough to learn (Gers and others 2000).
  if (node.cell != Cell::Lstm) return;
  for (float& bias :
       own.last(node.gates()).subspan(node.width(), node.width())) {
    bias = 1;
  }
}

// The nodes that a new layer can read: inputs and hidden nodes of stage 0.
std::vector<UnitId> sources_of_layers(const Network& network) {
  std::vector<UnitId> ids;
  for (const NetworkNode& node : network.nodes()) {
    if (node.role != Role::Output && node.stage == 0) ids.push_back(node.id);
  }
  return ids;
}

// Images that are large enough for a convolution with pooling.
std::vector<UnitId> image_nodes(const Network& network) {
  std::vector<UnitId> ids;
  for (const NetworkNode& node : network.nodes()) {
    if (node.role != Role::Output && node.extent.height >= 4 &&
        node.extent.width >= 4) {
      ids.push_back(node.id);
    }
  }
  return ids;
}

// Adds a layer that reads one hidden layer or all inputs. It feeds the outputs,
// or the bottleneck of stage 1, with weights of 0, so the network computes the
// same until it is trained.
void add_layer(Network& network, const NetworkNode& like, Rng& rng) {
  const std::vector<UnitId> inputs = network.nodes_of(Role::Input);
  std::vector<UnitId> hidden;
  for (const UnitId id : sources_of_layers(network)) {
    const NetworkNode& node = network.node(id);
    if (node.role == Role::Hidden && node.width() > 1) hidden.push_back(id);
  }
  const bool reads_hidden = !hidden.empty() && rng.below(hidden.size() + 1) > 0;
  const UnitId id = network.add_hidden(like);
  if (reads_hidden) {
    network.add_edge(rng.choice(hidden), id);
  } else {
    for (const UnitId from : inputs) network.add_edge(from, id);
  }
  draw_all_to(network, id, rng);
  const std::uint8_t last = network.nodes().back().stage;
  for (const NetworkNode& node :
       std::vector(network.nodes().begin(), network.nodes().end())) {
    const bool is_target =
        last == 0 ? node.role == Role::Output : node.stage == 1;
    if (is_target) network.add_edge(id, node.id);
  }
}

std::vector<UnitId> wide_nodes(const Network& network, std::uint32_t min) {
  std::vector<UnitId> ids;
  for (const UnitId id : network.changeable_nodes()) {
    if (network.node(id).extent.channels >= min) ids.push_back(id);
  }
  return ids;
}

std::vector<UnitId> widenable_nodes(const Network& network) {
  std::vector<UnitId> ids = wide_nodes(network, 2);
  std::erase_if(ids, [&](UnitId id) {
    const NetworkNode& node = network.node(id);
    return node.extent.channels >=
           (node.cell == Cell::Conv ? kMaxChannels : kMaxLayerWidth);
  });
  return ids;
}

// The influence of each unit or channel: the sum of its squared outgoing
// weights.
std::vector<double> leaving_squares(const Network& network,
                                    const NetworkNode& node) {
  const std::size_t area = node.width() / node.extent.channels;
  std::vector<double> sums(node.extent.channels, 0.0);
  for (const NetworkEdge& edge : network.edges()) {
    if (edge.from != node.id) continue;
    const NetworkNode& to = network.node(edge.to);
    const std::span<const float> weights = network.weights(edge);
    const bool is_kernel = to.cell == Cell::Conv;
    // The number of consecutive weights of one channel. Kernels are [to, from,
    // kernel, kernel], so the channels repeat for each `to`.
    const std::size_t inner =
        is_kernel ? std::size_t{to.kernel} * to.kernel : to.gates() * area;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::size_t channel = i / inner % node.extent.channels;
      sums[channel] += double{weights[i]} * double{weights[i]};
    }
  }
  return sums;
}

std::vector<UnitId> dense_nodes(const Network& network) {
  std::vector<UnitId> ids = network.changeable_nodes();
  std::erase_if(
      ids, [&](UnitId id) { return network.node(id).cell != Cell::Dense; });
  return ids;
}

// LSTM and GRU cells are excluded: their gates have fixed activations.
std::vector<UnitId> nodes_with_activation(const Network& network) {
  std::vector<UnitId> ids = network.changeable_nodes();
  std::erase_if(ids, [&](UnitId id) {
    const Cell cell = network.node(id).cell;
    return cell != Cell::Dense && cell != Cell::Conv;
  });
  return ids;
}

std::vector<Activation> layer_activations() {
  return {Activation::Relu, Activation::Tanh, Activation::LeakyRelu,
          Activation::Sigmoid};
}

}  // namespace

bool can_add_dense(const Network& network, const MutationLimits& limits) {
  return has_room_for_layer(network, limits);
}

void add_dense(Network& network, const MutationLimits& limits, Rng& rng) {
  add_layer(network,
            {.activation = Activation::Relu,
             .extent = {.channels = draw_width(limits, rng)}},
            rng);
}

bool can_add_conv(const Network& network, const MutationLimits& limits) {
  return has_room_for_layer(network, limits) &&
         network.nodes().back().stage == 0 && !image_nodes(network).empty();
}

void add_conv(Network& network, const MutationLimits& limits, Rng& rng) {
  const auto images = image_nodes(network);
  const UnitId from = rng.choice(images);
  const Extent before = network.node(from).extent;
  const std::uint32_t channels =
      std::min(kMaxChannels, std::max(4u, draw_width(limits, rng) / 2));
  const UnitId id = network.add_hidden(
      {.cell = Cell::Conv,
       .activation = Activation::Relu,
       .kernel = static_cast<std::uint8_t>(rng.chance(0.7) ? 3 : 5),
       .pool = 2,
       .extent = {.channels = channels,
                  .height = before.height / 2,
                  .width = before.width / 2}});
  network.add_edge(from, id);
  draw_all_to(network, id, rng);
  for (const UnitId to : network.nodes_of(Role::Output)) {
    network.add_edge(id, to);
  }
}

bool can_add_cell(const Network& network, const MutationLimits& limits) {
  return has_room_for_layer(network, limits) &&
         network.nodes().back().stage == 0;
}

void add_lstm(Network& network, const MutationLimits& limits, Rng& rng) {
  add_layer(network,
            {.cell = Cell::Lstm,
             .activation = Activation::Tanh,
             .extent = {.channels = std::max(2u, draw_width(limits, rng) / 2)}},
            rng);
}

void add_gru(Network& network, const MutationLimits& limits, Rng& rng) {
  add_layer(network,
            {.cell = Cell::Gru,
             .activation = Activation::Tanh,
             .extent = {.channels = std::max(2u, draw_width(limits, rng) / 2)}},
            rng);
}

bool can_widen(const Network& network, const MutationLimits& limits) {
  return has_room_for_layer(network, limits) &&
         !widenable_nodes(network).empty();
}

// Adds half as many units again, at least one. They get random incoming
// weights; resize leaves their outgoing weights at 0.
void widen(Network& network, const MutationLimits& /*limits*/, Rng& rng) {
  const auto nodes = widenable_nodes(network);
  const UnitId id = rng.choice(nodes);
  const NetworkNode before = network.node(id);
  const std::uint32_t max =
      before.cell == Cell::Conv ? kMaxChannels : kMaxLayerWidth;
  const std::uint32_t old = before.extent.channels;
  const std::uint32_t wider = std::min(max, old + std::max(1u, old / 2));
  std::vector<std::uint32_t> kept(old);
  for (std::uint32_t i = 0; i < old; ++i) kept[i] = i;
  network.resize(id, kept, wider);
  const NetworkNode after = network.node(id);
  for (const NetworkEdge& edge : network.edges()) {
    if (edge.to != id || edge.from == id) continue;
    // Draws all weights of the edge in a copy, and takes those of new units.
    Network drawn = network;
    draw_weights(drawn, edge, rng);
    const std::span<const float> fresh = drawn.weights(edge);
    const std::span<float> weights = network.weights(edge);
    const bool is_kernel = after.cell == Cell::Conv;
    const std::size_t inner =
        is_kernel ? weights.size() / after.extent.channels : 1;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::size_t unit =
          is_kernel ? i / inner : i % after.extent.channels;
      if (unit >= old) weights[i] = fresh[i];
    }
  }
}

bool can_shrink(const Network& network, const MutationLimits& /*limits*/) {
  return !wide_nodes(network, 4).empty();
}

// Removes the quarter of the units with the smallest outgoing weights.
void shrink(Network& network, const MutationLimits& /*limits*/, Rng& rng) {
  const auto nodes = wide_nodes(network, 4);
  const NetworkNode node = network.node(rng.choice(nodes));
  const std::vector<double> influence = leaving_squares(network, node);
  std::vector<std::uint32_t> order(influence.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::uint32_t i) { return influence[i]; });
  order.resize(order.size() - order.size() / 4);
  std::ranges::sort(order);  // The remaining units keep their order.
  network.resize(node.id, order, static_cast<std::uint32_t>(order.size()));
}

bool can_change_activation(const Network& network,
                           const MutationLimits& /*limits*/) {
  return !nodes_with_activation(network).empty();
}

void change_activation(Network& network, const MutationLimits& /*limits*/,
                       Rng& rng) {
  const auto nodes = nodes_with_activation(network);
  const UnitId id = rng.choice(nodes);
  std::vector<Activation> others = layer_activations();
  std::erase(others, network.node(id).activation);
  network.set_activation(id, rng.choice(others));
}

bool can_change_aggregation(const Network& network,
                            const MutationLimits& /*limits*/) {
  return !dense_nodes(network).empty();
}

void change_aggregation(Network& network, const MutationLimits& /*limits*/,
                        Rng& rng) {
  const auto nodes = dense_nodes(network);
  const UnitId id = rng.choice(nodes);
  std::vector<Aggregation> others;
  for (const AggregationEntry& entry : aggregation_table()) {
    if (entry.value != network.node(id).aggregation) {
      others.push_back(entry.value);
    }
  }
  network.set_aggregation(id, rng.choice(others));
}

}  // namespace lamarck::evolution
