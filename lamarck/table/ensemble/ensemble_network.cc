#include "lamarck/table/ensemble/ensemble_network.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lamarck/base/ensure.h"

namespace lamarck::table {
namespace {

using evolution::Activation;
using evolution::Aggregation;
using evolution::Cell;
using evolution::Network;
using evolution::NetworkEdge;
using evolution::NetworkNode;
using evolution::Role;
using evolution::UnitId;

// Some units of a node of the ensemble.
struct Place {
  UnitId node = 0;
  std::size_t begin = 0;
};

// Whether all edges of a hidden node come from inputs and lead to outputs.
bool is_only_layer(const Network& network, const NetworkNode& node) {
  return std::ranges::all_of(network.edges(), [&](const NetworkEdge& edge) {
    if (edge.to == node.id) return network.node(edge.from).role == Role::Input;
    if (edge.from != node.id) return true;
    return network.node(edge.to).role == Role::Output;
  });
}

class EnsembleBuilder {
 public:
  EnsembleBuilder(std::span<const EnsembleMember> members, std::size_t inputs)
      : members_(members), input_count_(inputs) {}

  Network build() {
    const Network& first = *members_[0].network;
    input_ = network_.add_input(
        {.channels = static_cast<std::uint32_t>(input_count_)});
    output_ = network_.add_output(
        static_cast<std::uint32_t>(first.output_width()), Activation::Identity);
    add_spline_layer();
    place_hidden();
    add_edges();
    for (std::size_t i = 0; i < members_.size(); ++i) copy_member(i);
    network_.set_head(first.head());
    network_.check();
    return std::move(network_);
  }

 private:
  // ---- The layer of encodings: unit i of an input is relu(x - knot i).

  void add_spline_layer() {
    for (const EnsembleMember& member : members_) {
      if (member.splines == nullptr) continue;
      for (const SplineInput& each : *member.splines) {
        spline_begin_[{each.input, each.knots}] = 0;
      }
    }
    if (spline_begin_.empty()) return;
    std::size_t units = 0;
    for (auto& [key, begin] : spline_begin_) {
      begin = units;
      units += key.second.size();
    }
    spline_ = network_.add_hidden(
        {.activation = Activation::Relu,
         .extent = {.channels = static_cast<std::uint32_t>(units)}});
    network_.add_edge(input_, spline_);
    const auto weights =
        network_.weights(network_.edge(input_, spline_, false));
    const auto biases = network_.own_parameters(network_.node(spline_));
    for (const auto& [key, begin] : spline_begin_) {
      const auto& [input, knots] = key;
      for (std::size_t i = 0; i < knots.size(); ++i) {
        weights[input * units + begin + i] = 1;
        biases[begin + i] = -knots[i];
      }
    }
  }

  // ---- Where the members' hidden units go.

  void place_hidden() {
    std::map<Activation, std::size_t> shared_width;
    places_.resize(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Network& member = *members_[i].network;
      for (const NetworkNode& node : member.nodes()) {
        if (node.role != Role::Hidden) continue;
        if (is_only_layer(member, node)) {
          // Its node id is known when all widths are.
          places_[i][node.id] = {0, shared_width[node.activation]};
          shared_width[node.activation] += node.width();
          shared_.push_back({i, node.id});
        } else {
          places_[i][node.id] = {network_.add_hidden(node), 0};
        }
      }
    }
    std::map<Activation, UnitId> shared_id;
    for (const auto& [activation, width] : shared_width) {
      shared_id[activation] = network_.add_hidden(
          {.activation = activation,
           .extent = {.channels = static_cast<std::uint32_t>(width)}});
    }
    for (const auto& [member, id] : shared_) {
      places_[member][id].node =
          shared_id[members_[member].network->node(id).activation];
    }
  }

  Place place_of(std::size_t member, UnitId id) const {
    const Network& network = *members_[member].network;
    const NetworkNode& node = network.node(id);
    if (node.role == Role::Hidden) return places_[member].at(id);
    // Inputs and outputs are numbered in order.
    Place place{node.role == Role::Input ? input_ : output_, 0};
    for (const NetworkNode& each : network.nodes()) {
      if (each.id == id) break;
      if (each.role == node.role) place.begin += each.width();
    }
    return place;
  }

  // ---- Edges and weights.

  // Calls visit(from, unit, to, factor, weights) for each unit of the ensemble
  // that feeds the place `to` with `factor` times some weights of the edge.
  void visit_edge(std::size_t index, const NetworkEdge& edge,
                  auto&& visit) const {
    const EnsembleMember& member = members_[index];
    const Network& network = *member.network;
    const Place from = place_of(index, edge.from);
    const Place to = place_of(index, edge.to);
    const double scale = to.node == output_ ? member.weight : 1.0;
    const std::size_t rows = network.node(edge.from).width();
    const std::size_t columns = network.node(edge.to).width();
    const std::span<const float> weights = network.weights(edge);
    for (std::size_t row = 0; row < rows; ++row) {
      visit_sources(member, from, from.begin + row,
                    [&](UnitId id, std::size_t unit, double factor) {
                      visit(id, unit, to, scale * factor,
                            weights.subspan(row * columns, columns));
                    });
    }
  }

  // A feature of a spline is the difference of two ReLU units, divided by the
  // distance of their knots; all other sources stay as they are.
  void visit_sources(const EnsembleMember& member, const Place& from,
                     std::size_t row, auto&& visit) const {
    const std::size_t columns =
        member.inputs == nullptr ? input_count_ : member.inputs->size();
    if (from.node != input_ || row < columns) {
      const bool is_mapped = from.node == input_ && member.inputs != nullptr;
      visit(from.node, is_mapped ? (*member.inputs)[row] : row, 1.0);
      return;
    }
    std::size_t feature = row - columns;
    for (const SplineInput& spline : *member.splines) {
      if (feature >= spline.bins()) {
        feature -= spline.bins();
        continue;
      }
      const double gap =
          double{spline.knots[feature + 1]} - double{spline.knots[feature]};
      const std::size_t unit =
          spline_begin_.at({spline.input, spline.knots}) + feature;
      visit(spline_, unit, 1 / gap);
      visit(spline_, unit + 1, -1 / gap);
      return;
    }
    ENSURE(false, "each input of a member is a number or a feature");
  }

  void add_edges() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (const NetworkEdge& edge : members_[i].network->edges()) {
        visit_edge(i, edge,
                   [&](UnitId from, std::size_t, const Place& to, double,
                       std::span<const float>) {
                     if (network_.has_edge(from, to.node, false)) return;
                     network_.add_edge(from, to.node);
                   });
      }
    }
  }

  void copy_member(std::size_t index) {
    const EnsembleMember& member = members_[index];
    for (const NetworkEdge& edge : member.network->edges()) {
      visit_edge(index, edge,
                 [&](UnitId from, std::size_t unit, const Place& to,
                     double factor, std::span<const float> weights) {
                   const std::size_t columns = network_.node(to.node).width();
                   const auto own =
                       network_.weights(network_.edge(from, to.node, false))
                           .subspan(unit * columns + to.begin, weights.size());
                   for (std::size_t i = 0; i < own.size(); ++i) {
                     own[i] += static_cast<float>(factor * double{weights[i]});
                   }
                 });
    }
    for (const NetworkNode& node : member.network->nodes()) {
      if (node.role == Role::Input) continue;
      const Place place = place_of(index, node.id);
      const double scale = node.role == Role::Output ? member.weight : 1.0;
      const auto from = member.network->own_parameters(node);
      const auto to = network_.own_parameters(network_.node(place.node));
      for (std::size_t i = 0; i < from.size(); ++i) {
        to[place.begin + i] += static_cast<float>(scale * double{from[i]});
      }
    }
  }

  std::span<const EnsembleMember> members_;
  std::size_t input_count_;
  Network network_;
  UnitId input_ = 0;
  UnitId output_ = 0;
  UnitId spline_ = 0;
  // The first unit of an input with these knots.
  std::map<std::pair<std::size_t, std::vector<float>>, std::size_t>
      spline_begin_;
  std::vector<std::map<UnitId, Place>> places_;         // Per member.
  std::vector<std::pair<std::size_t, UnitId>> shared_;  // Joined layers.
};

}  // namespace

bool can_join_ensemble(const Network& network) {
  return network.recurrent_edge_count() == 0 &&
         std::ranges::all_of(network.nodes(), [](const NetworkNode& node) {
           return node.cell == Cell::Dense && node.stage == 0 &&
                  !node.extent.is_image() &&
                  node.aggregation == Aggregation::Sum;
         });
}

Network join_ensemble(std::span<const EnsembleMember> members,
                      std::size_t inputs) {
  REQUIRE(!members.empty(), "join_ensemble: members must not be empty.");
  return EnsembleBuilder(members, inputs).build();
}

}  // namespace lamarck::table
