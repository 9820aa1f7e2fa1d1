#include "lamarck/report/internal/picture_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <fmt/format.h>

#include "lamarck/base/display_number.h"
#include "lamarck/evolution/node_kind.h"

namespace lamarck::report {
namespace {

using evolution::Cell;
using evolution::name_of;
using evolution::Network;
using evolution::NetworkNode;
using evolution::Role;
using evolution::UnitId;

constexpr std::size_t kMaxEnds = 24;  // Inputs or outputs drawn one by one.

class PartsMaker {
 public:
  PartsMaker(const Network& network, const PictureOptions& options)
      : network_(network), options_(options) {}

  PictureParts make() {
    add_nodes();
    add_edges();
    return std::move(parts_);
  }

 private:
  // The length of the longest path from an input, for each node. The nodes are
  // in topological order, so one pass suffices.
  std::map<UnitId, std::size_t> depths() const {
    std::map<UnitId, std::size_t> depth;
    for (const NetworkNode& node : network_.nodes()) {
      std::size_t& own = depth[node.id];
      if (node.role != Role::Input) own = 1;
      for (const evolution::NetworkEdge& edge : network_.edges()) {
        if (edge.to == node.id && !edge.recurrent) {
          own = std::max(own, depth[edge.from] + 1);
        }
      }
    }
    return depth;
  }

  void add_nodes() {
    const auto depth = depths();
    std::size_t last = 1;
    for (const auto& [id, own] : depth) last = std::max(last, own);
    parts_.columns = last + 1;
    for (const NetworkNode& node : network_.nodes()) {
      const bool is_group = node.role != Role::Hidden &&
                            network_.nodes_of(node.role).size() > kMaxEnds;
      const std::size_t column =
          node.role == Role::Output ? last : depth.at(node.id);
      if (is_group) {
        add_to_group(node, column);
      } else {
        add_node(node, column);
      }
    }
  }

  // Adds the node to the one box that stands for all inputs or all outputs.
  void add_to_group(const NetworkNode& node, std::size_t column) {
    const bool is_new = !groups_.contains(node.role);
    if (is_new) {
      const std::size_t width = node.role == Role::Input
                                    ? network_.input_width()
                                    : network_.output_width();
      groups_[node.role] = parts_.nodes.size();
      parts_.nodes.push_back(
          {.label = fmt::format("{} {}s", width, name_of(node.role)),
           .tip = fmt::format("{} {} neurons", width, name_of(node.role)),
           .role = node.role,
           .column = column});
    }
    places_[node.id] = groups_[node.role];
  }

  void add_node(const NetworkNode& node, std::size_t column) {
    places_[node.id] = parts_.nodes.size();
    const bool is_neuron = node.width() == 1 && node.cell == Cell::Dense;
    PictureNode made{.role = node.role,
                     .column = column,
                     .is_bottleneck = node.is_bottleneck()};
    made.label = node_label(network_, node.id, options_);
    made.tip = made.label + ": " + node_description(node);
    if (is_neuron) made.neuron = node;
    if (!is_neuron) {
      made.label = node.role == Role::Hidden ? std::string(name_of(node.cell))
                                             : std::string(name_of(node.role));
      const evolution::Extent& size = node.extent;
      made.label += size.is_image() ? fmt::format(" {}x{}x{}", size.channels,
                                                  size.height, size.width)
                                    : fmt::format(" {}", size.channels);
      made.second_line = second_line(node);
    }
    if (is_neuron && node.role != Role::Input) {
      made.tip +=
          ", bias " + short_number(network_.own_parameters(node).back());
    }
    parts_.nodes.push_back(std::move(made));
  }

  static std::string second_line(const NetworkNode& node) {
    if (node.role == Role::Input) return "";
    if (node.cell == Cell::Lstm || node.cell == Cell::Gru) return "";
    std::string text(name_of(node.activation));
    if (node.aggregation != evolution::Aggregation::Sum &&
        node.cell == Cell::Dense) {
      text += ", " + std::string(name_of(node.aggregation));
    }
    if (node.cell == Cell::Conv) {
      text += fmt::format(", {}x{}", node.kernel, node.kernel);
      if (node.pool > 1) text += fmt::format(", pool {}", node.pool);
    }
    return text;
  }

  void add_edges() {
    // Edges that join the same drawn nodes are merged.
    std::map<std::tuple<std::size_t, std::size_t, bool>, std::size_t> found;
    for (const evolution::NetworkEdge& edge : network_.edges()) {
      const std::size_t from = places_.at(edge.from);
      const std::size_t to = places_.at(edge.to);
      const auto [at, is_new] = found.emplace(
          std::tuple(from, to, edge.recurrent), parts_.edges.size());
      if (is_new) {
        parts_.edges.push_back(
            {.from = from, .to = to, .recurrent = edge.recurrent});
      }
      PictureEdge& drawn = parts_.edges[at->second];
      for (const float weight : network_.weights(edge)) {
        // The sum of squares; finish_edges takes the root of the mean.
        drawn.weight += static_cast<double>(weight) * weight;
      }
      if (drawn.count == 0 && edge.count == 1) {
        drawn.tip = short_number(network_.weights(edge)[0]);
      }
      drawn.count += edge.count;
    }
    finish_edges();
  }

  void finish_edges() {
    double largest = 1e-9;  // Avoids a division by zero.
    for (PictureEdge& edge : parts_.edges) {
      const double size =
          std::sqrt(edge.weight / static_cast<double>(edge.count));
      const bool is_negative = edge.count == 1 && edge.tip.starts_with('-');
      edge.weight = is_negative ? -size : size;
      if (std::isfinite(size)) largest = std::max(largest, size);
      if (edge.count > 1) edge.tip = fmt::format("{} weights", edge.count);
      edge.tip = edge_ends(edge) + edge.tip;
    }
    for (PictureEdge& edge : parts_.edges) {
      const double strength = std::abs(edge.weight) / largest;
      edge.strength = std::isfinite(strength) ? strength : 1;
    }
  }

  std::string edge_ends(const PictureEdge& edge) const {
    return parts_.nodes[edge.from].label + " to " +
           parts_.nodes[edge.to].label +
           (edge.recurrent ? ", recurrent: " : ": ");
  }

  const Network& network_;
  const PictureOptions& options_;
  PictureParts parts_;
  std::map<UnitId, std::size_t> places_;  // Indices into parts_.nodes.
  std::map<Role, std::size_t> groups_;
};

}  // namespace

PictureParts picture_parts(const Network& network,
                           const PictureOptions& options) {
  return PartsMaker(network, options).make();
}

std::string node_description(const NetworkNode& node) {
  const bool is_neuron = node.width() == 1 && node.cell == Cell::Dense;
  const evolution::Extent& size = node.extent;
  const std::string width =
      size.is_image()
          ? fmt::format("{}x{}x{}", size.channels, size.height, size.width)
          : std::to_string(size.channels);
  if (node.role == Role::Input) return is_neuron ? "input" : "input " + width;
  std::string text =
      is_neuron ? "" : fmt::format("{} {} ", name_of(node.cell), width);
  if (node.cell == Cell::Lstm || node.cell == Cell::Gru) {
    text.pop_back();
    return text;
  }
  text += name_of(node.activation);
  if (node.cell == Cell::Dense &&
      node.aggregation != evolution::Aggregation::Sum) {
    text += fmt::format(" of {}", name_of(node.aggregation));
  }
  return text;
}

std::string node_label(const Network& network, UnitId id,
                       const PictureOptions& options) {
  const NetworkNode& node = network.node(id);
  if (node.role == Role::Hidden) return fmt::format("h{}", id);
  const bool is_input = node.role == Role::Input;
  const auto& names = is_input ? options.input_names : options.output_names;
  std::size_t begin = 0;
  for (const NetworkNode& each : network.nodes()) {
    if (each.id == id) break;
    if (each.role == node.role) begin += each.width();
  }
  if (node.width() == 1 && begin < names.size()) return names[begin];
  std::string stem = is_input ? "in" : "out";
  if (network.nodes_of(node.role).size() == 1 && node.width() > 1) {
    return stem;
  }
  return fmt::format("{}{}", stem, begin);
}

}  // namespace lamarck::report
