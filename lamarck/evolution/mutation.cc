#include "lamarck/evolution/mutation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lamarck/evolution/internal/layer_mutations.h"
#include "lamarck/evolution/internal/removable_parts.h"

namespace lamarck::evolution {
namespace {

bool has_room(const Network& network, const MutationLimits& limits) {
  return network.hidden_units() < limits.max_hidden &&
         network.parameters().size() < limits.max_parameters;
}

// Adds a forward edge with random weights.
void connect(Network& network, UnitId from, UnitId to, Rng& rng) {
  network.add_edge(from, to);
  const NetworkEdge edge = network.edge(from, to, false);
  draw_weights(network, edge, rng);
}

// The stage of a node put into an edge. It must be even, so the node does not
// become part of a bottleneck.
std::uint8_t stage_between(const NetworkNode& from, const NetworkNode& to) {
  return to.is_bottleneck() ? from.stage : to.stage;
}

// Edges to convolutions are excluded: a convolution reads images, and the new
// node would output a vector.
std::vector<Network::Ends> splittable_edges(const Network& network) {
  std::vector<Network::Ends> edges = network.forward_edges();
  std::erase_if(edges, [&](const Network::Ends& edge) {
    return network.node(edge.second).cell == Cell::Conv;
  });
  return edges;
}

// ---- The six mutations of hill_climb

bool can_add_node(const Network& network, const MutationLimits& limits) {
  return has_room(network, limits) && !splittable_edges(network).empty();
}

void add_node(Network& network, const MutationLimits& limits, Rng& rng) {
  const auto edges = splittable_edges(network);
  const auto [from, to] = rng.choice(edges);
  const std::size_t width =
      std::min({network.node(from).width(), network.node(to).width(),
                std::size_t{std::max(1u, limits.first_width)}});
  const UnitId id = network.add_hidden(
      {.activation = rng.choice(limits.activations),
       .stage = stage_between(network.node(from), network.node(to)),
       .extent = {.channels = static_cast<std::uint32_t>(width)}});
  connect(network, from, id, rng);
  connect(network, id, to, rng);
  network.remove_edge(from, to, false);
}

bool can_add_edge(const Network& network, const MutationLimits& limits) {
  return network.parameters().size() < limits.max_parameters &&
         !network.possible_edges().empty();
}

void add_edge(Network& network, const MutationLimits& /*limits*/, Rng& rng) {
  const auto ends = network.possible_edges();
  const auto [from, to] = rng.choice(ends);
  connect(network, from, to, rng);
}

bool can_add_recurrent(const Network& network, const MutationLimits& limits) {
  return network.parameters().size() < limits.max_parameters &&
         !network.possible_recurrent_edges().empty();
}

void add_recurrent(Network& network, const MutationLimits& /*limits*/,
                   Rng& rng) {
  const auto ends = network.possible_recurrent_edges();
  const auto [from, to] = rng.choice(ends);
  network.add_recurrent_edge(from, to);
  const NetworkEdge edge = network.edge(from, to, true);
  draw_weights(network, edge, rng);
}

void remove_one_edge(Network& network, const MutationLimits& limits,
                     bool recurrent, Rng& rng) {
  const auto edges = removable_edges(network, limits, recurrent);
  const auto [from, to] = rng.choice(edges);
  network.remove_edge(from, to, recurrent);
  network.remove_orphans();
}

bool can_remove_edge(const Network& network, const MutationLimits& limits) {
  return !removable_edges(network, limits, false).empty();
}

void remove_edge(Network& network, const MutationLimits& limits, Rng& rng) {
  remove_one_edge(network, limits, false, rng);
}

bool can_remove_recurrent(const Network& network,
                          const MutationLimits& limits) {
  return !removable_edges(network, limits, true).empty();
}

void remove_recurrent(Network& network, const MutationLimits& limits,
                      Rng& rng) {
  remove_one_edge(network, limits, true, rng);
}

bool can_remove_node(const Network& network, const MutationLimits& limits) {
  return !removable_nodes(network, limits).empty();
}

void remove_node(Network& network, const MutationLimits& limits, Rng& rng) {
  const auto nodes = removable_nodes(network, limits);
  network.remove_node(rng.choice(nodes));
  network.remove_orphans();
}

// ---- add_unit: a neuron that reads everything before it, as in cascade
// correlation (Fahlman and Lebiere 1990). Its outgoing weights are 0, so the
// outputs do not change until it is trained.

bool can_add_unit(const Network& network, const MutationLimits& limits) {
  return has_room(network, limits) && network.hidden_count() < 512;
}

// A random even stage; odd ones are bottlenecks, which do not grow.
std::uint8_t draw_stage(const Network& network, Rng& rng) {
  const std::uint8_t last = network.nodes().back().stage;
  return static_cast<std::uint8_t>(2 * rng.below(last / 2 + 1));
}

// Draws the weights of incoming edges before it adds the outgoing ones, which
// stay 0.
UnitId add_silent_unit(Network& network, std::uint8_t stage,
                       Activation activation, std::span<const UnitId> sources,
                       std::span<const UnitId> targets, bool recurrent,
                       Rng& rng) {
  const UnitId id =
      network.add_hidden({.activation = activation, .stage = stage});
  for (const UnitId from : sources) network.add_edge(from, id);
  if (recurrent) {
    network.add_recurrent_edge(id, id);
    for (const UnitId output : network.nodes_of(Role::Output)) {
      if (network.node(output).width() == 1) {
        network.add_recurrent_edge(output, id);
      }
    }
  }
  for (const NetworkEdge& edge : network.edges()) {
    if (edge.to == id) draw_weights(network, edge, rng);
  }
  for (const UnitId to : targets) network.add_edge(id, to);
  return id;
}

struct UnitPlace {
  std::uint8_t stage = 0;
  std::vector<UnitId> sources;
  std::vector<UnitId> targets;
};

// Draws a stage. The sources are the nodes of that stage and the bottleneck
// before it; the targets are the next bottleneck, or the outputs.
UnitPlace place_for_unit(const Network& network, Rng& rng) {
  UnitPlace place{.stage = draw_stage(network, rng)};
  const std::uint8_t last = network.nodes().back().stage;
  for (const NetworkNode& node : network.nodes()) {
    const bool is_target = place.stage == last ? node.role == Role::Output
                                               : node.stage == place.stage + 1;
    if (is_target) {
      place.targets.push_back(node.id);
    } else if (node.role != Role::Output &&
               (node.stage == place.stage || node.stage + 1 == place.stage)) {
      place.sources.push_back(node.id);
    }
  }
  return place;
}

// Adds all candidate units to one trial network, so that a single pass scores
// them all, and keeps the best.
void add_unit(Network& network, const MutationLimits& limits, Rng& rng) {
  const UnitPlace place = place_for_unit(network, rng);
  const Activation activation = rng.choice(limits.activations);
  const std::size_t count =
      limits.score_units ? std::max<std::size_t>(1, limits.unit_candidates) : 1;
  Network trial = network;
  std::vector<UnitId> units;
  for (std::size_t i = 0; i < count; ++i) {
    units.push_back(add_silent_unit(trial, place.stage, activation,
                                    place.sources, place.targets,
                                    limits.recurrent, rng));
  }
  std::size_t best = 0;
  if (count > 1) {
    const std::vector<double> scores = limits.score_units(trial, units);
    for (std::size_t i = 1; i < std::min(count, scores.size()); ++i) {
      if (scores[i] > scores[best] || std::isnan(scores[best])) best = i;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (i != best) trial.remove_node(units[i]);
  }
  trial.set_next_id(units[best] + 1);
  network = std::move(trial);
}

constexpr std::array kMutations = {
    Mutation{.name = "add_node",
             .what = "splits an edge with a new node",
             .grain = Grain::Both,
             .is_recurrent = false,
             .shrinks = false,
             .weight = 0.15,
             .cascade_weight = 0.0,
             .is_feasible = can_add_node,
             .apply = add_node},
    Mutation{.name = "add_edge",
             .what = "adds a forward edge",
             .grain = Grain::Both,
             .is_recurrent = false,
             .shrinks = false,
             .weight = 0.30,
             .cascade_weight = 0.30,
             .is_feasible = can_add_edge,
             .apply = add_edge},
    Mutation{.name = "add_recurrent_edge",
             .what = "adds a recurrent edge",
             .grain = Grain::Both,
             .is_recurrent = true,
             .shrinks = false,
             .weight = 0.15,
             .cascade_weight = 0.05,
             .is_feasible = can_add_recurrent,
             .apply = add_recurrent},
    Mutation{.name = "remove_edge",
             .what = "removes a forward edge",
             .grain = Grain::Both,
             .is_recurrent = false,
             .shrinks = true,
             .weight = 0.20,
             .cascade_weight = 0.20,
             .is_feasible = can_remove_edge,
             .apply = remove_edge},
    Mutation{.name = "remove_recurrent_edge",
             .what = "removes a recurrent edge",
             .grain = Grain::Both,
             .is_recurrent = true,
             .shrinks = true,
             .weight = 0.10,
             .cascade_weight = 0.05,
             .is_feasible = can_remove_recurrent,
             .apply = remove_recurrent},
    Mutation{.name = "remove_node",
             .what = "removes a hidden node",
             .grain = Grain::Both,
             .is_recurrent = false,
             .shrinks = true,
             .weight = 0.10,
             .cascade_weight = 0.10,
             .is_feasible = can_remove_node,
             .apply = remove_node},
    Mutation{.name = "add_unit",
             .what = "adds a neuron that reads all nodes before it",
             .grain = Grain::Neuron,
             .is_recurrent = false,
             .shrinks = false,
             .weight = 0.0,
             .cascade_weight = 0.50,
             .is_feasible = can_add_unit,
             .apply = add_unit},
    Mutation{.name = "add_dense",
             .what = "adds a dense layer",
             .grain = Grain::Layer,
             .is_recurrent = false,
             .shrinks = false,
             .weight = 0.0,
             .cascade_weight = 0.40,
             .is_feasible = can_add_dense,
             .apply = add_dense},
    Mutation{.name = "add_conv",
             .what = "adds a convolution with pooling",
             .grain = Grain::Layer,
             .is_recurrent = false,
             .shrinks = false,
             .weight = 0.0,
             .cascade_weight = 0.60,
             .is_feasible = can_add_conv,
             .apply = add_conv},
    Mutation{.name = "add_lstm",
             .what = "adds a layer of LSTM cells",
             .grain = Grain::Layer,
             .is_recurrent = true,
             .shrinks = false,
             .weight = 0.0,
             .cascade_weight = 0.20,
             .is_feasible = can_add_cell,
             .apply = add_lstm},
    Mutation{.name = "add_gru",
             .what = "adds a layer of GRU cells",
             .grain = Grain::Layer,
             .is_recurrent = true,
             .shrinks = false,
             .weight = 0.0,
             .cascade_weight = 0.20,
             .is_feasible = can_add_cell,
             .apply = add_gru},
    Mutation{.name = "widen",
             .what = "adds units to a layer",
             .grain = Grain::Layer,
             .is_recurrent = false,
             .shrinks = false,
             .weight = 0.0,
             .cascade_weight = 0.40,
             .is_feasible = can_widen,
             .apply = widen},
    Mutation{.name = "narrow",
             .what = "removes units from a layer",
             .grain = Grain::Layer,
             .is_recurrent = false,
             .shrinks = true,
             .weight = 0.0,
             .cascade_weight = 0.10,
             .is_feasible = can_shrink,
             .apply = shrink},
    Mutation{.name = "change_activation",
             .what = "changes an activation",
             .grain = Grain::Both,
             .is_recurrent = false,
             .shrinks = false,
             .weight = 0.0,
             .cascade_weight = 0.05,
             .is_feasible = can_change_activation,
             .apply = change_activation},
    Mutation{.name = "change_aggregation",
             .what = "changes an aggregation",
             .grain = Grain::Both,
             .is_recurrent = false,
             .shrinks = false,
             .weight = 0.0,
             .cascade_weight = 0.0,
             .is_feasible = can_change_aggregation,
             .apply = change_aggregation},
};

double weight_of(const Mutation& mutation, const MutationChoice& choice) {
  const auto own = choice.weights.find(mutation.name);
  if (own != choice.weights.end()) return own->second;
  return choice.cascade ? mutation.cascade_weight : mutation.weight;
}

bool is_allowed(const Mutation& mutation, const MutationLimits& limits,
                const MutationChoice& choice) {
  if (mutation.is_recurrent && !limits.recurrent) return false;
  return mutation.grain == Grain::Both || choice.grain == Grain::Both ||
         mutation.grain == choice.grain;
}

}  // namespace

Result<Grain> parse_grain(std::string_view name) {
  if (name == "neuron") return Grain::Neuron;
  if (name == "layer") return Grain::Layer;
  if (name == "both") return Grain::Both;
  return Error(
      ErrorCode::InvalidArgument,
      "Unknown grain '" + std::string(name) + "'; use neuron, layer or both.");
}

std::span<const Mutation> mutation_table() { return kMutations; }

const Mutation* find_mutation(std::string_view name) {
  const auto found = std::ranges::find(kMutations, name, &Mutation::name);
  return found == kMutations.end() ? nullptr : found;
}

const Mutation* draw_mutation(const Network& network,
                              const MutationLimits& limits,
                              const MutationChoice& choice, Rng& rng) {
  std::vector<const Mutation*> feasible;
  std::vector<double> weights;
  for (const Mutation& mutation : kMutations) {
    const double weight = weight_of(mutation, choice);
    // Feasibility can be costly to decide, so it comes last.
    if (!(weight > 0) || !is_allowed(mutation, limits, choice) ||
        !mutation.is_feasible(network, limits)) {
      continue;
    }
    feasible.push_back(&mutation);
    weights.push_back(weight);
  }
  if (feasible.empty()) return nullptr;
  return feasible[rng.weighted_choice(weights)];
}

}  // namespace lamarck::evolution
