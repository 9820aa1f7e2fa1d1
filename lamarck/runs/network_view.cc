#include "lamarck/runs/network_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <nlohmann/json.hpp>

#include "lamarck/graph/layered_layout.h"
#include "lamarck/report/network_picture.h"

namespace lamarck::runs {
namespace {

constexpr std::size_t kMaxEdges = 2'000;

double root_mean_square(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += double{value} * value;
  return values.empty() ? 0
                        : std::sqrt(sum / static_cast<double>(values.size()));
}

// One weight keeps its sign.
double shown_weight(std::span<const float> values) {
  return values.size() == 1 ? double{values[0]} : root_mean_square(values);
}

// Short numbers, because a run stores many networks.
Json short_weight(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0;
  const double scale =
      std::pow(10.0, 5 - std::ceil(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

const char* role_name(evolution::Role role) {
  switch (role) {
    case evolution::Role::Input:
      return "input";
    case evolution::Role::Output:
      return "output";
    default:
      return "hidden";
  }
}

const char* kind_name(neat::NodeKind kind) {
  switch (kind) {
    case neat::NodeKind::Bias:
      return "bias";
    case neat::NodeKind::Input:
      return "input";
    case neat::NodeKind::Output:
      return "output";
    default:
      return "hidden";
  }
}

const char* activation_name(neat::NodeActivation activation) {
  switch (activation) {
    case neat::NodeActivation::SteepSigmoid:
      return "sigmoid";
    case neat::NodeActivation::Tanh:
      return "tanh";
    case neat::NodeActivation::Relu:
      return "relu";
    default:
      return "identity";
  }
}

Json finish_view(Json nodes, std::vector<Json> edges) {
  const std::size_t total = edges.size();
  if (total > kMaxEdges) {
    const auto strength = [](const Json& edge) {
      const Json& weight = edge.at("weight");
      return weight.is_number() ? -std::abs(weight.get<double>()) : 0;
    };
    std::ranges::stable_sort(edges, {}, strength);
    edges.resize(kMaxEdges);
  }
  return {{"nodes", std::move(nodes)},
          {"edges", std::move(edges)},
          {"edges_total", total}};
}

std::string numbered(const std::vector<std::string>& names, std::size_t index,
                     const char* otherwise) {
  if (index < names.size()) return names[index];
  return otherwise + std::to_string(index);
}

}  // namespace

Json network_view(const evolution::Network& network,
                  const NetworkLabels& labels) {
  const report::PictureOptions names{.input_names = labels.inputs,
                                     .output_names = labels.outputs,
                                     .title = ""};
  Json nodes = Json::array();
  for (const evolution::NetworkNode& node : network.nodes()) {
    const bool is_neuron =
        node.width() == 1 && node.cell == evolution::Cell::Dense;
    const auto own = network.own_parameters(node);
    const bool is_input = node.role == evolution::Role::Input;
    nodes.push_back(
        {{"id", node.id},
         {"kind", role_name(node.role)},
         {"label", is_neuron ? report::node_label(network, node.id, names)
                             : report::node_description(node)},
         {"activation",
          is_input ? "" : std::string(evolution::name_of(node.activation))},
         {"width", node.width()},
         {"bias", own.size() == 1 ? short_weight(double{own[0]}) : Json()}});
  }
  std::vector<Json> edges;
  for (const evolution::NetworkEdge& edge : network.edges()) {
    edges.push_back(
        {{"from", edge.from},
         {"to", edge.to},
         {"weight", short_weight(shown_weight(network.weights(edge)))},
         {"count", edge.count},
         {"recurrent", edge.recurrent}});
  }
  return finish_view(std::move(nodes), std::move(edges));
}

Json network_view(const neat::Genome& genome, const NetworkLabels& labels) {
  Json nodes = Json::array();
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  for (const neat::NodeGene& node : genome.nodes()) {
    std::string label = "h" + std::to_string(node.id);
    if (node.kind == neat::NodeKind::Bias) label = "bias";
    if (node.kind == neat::NodeKind::Input) {
      label = numbered(labels.inputs, inputs++, "in");
    }
    if (node.kind == neat::NodeKind::Output) {
      label = numbered(labels.outputs, outputs++, "out");
    }
    const bool is_source =
        node.kind == neat::NodeKind::Bias || node.kind == neat::NodeKind::Input;
    nodes.push_back(
        {{"id", node.id},
         {"kind", kind_name(node.kind)},
         {"label", std::move(label)},
         {"activation", is_source ? "" : activation_name(node.activation)},
         {"width", 1},
         {"bias", nullptr}});
  }
  std::vector<Json> edges;
  for (const neat::ConnectionGene& gene : genome.connections()) {
    if (!gene.enabled) continue;
    edges.push_back({{"from", gene.from},
                     {"to", gene.to},
                     {"weight", short_weight(double{gene.weight})},
                     {"count", 1},
                     {"recurrent", genome.is_recurrent(gene)}});
  }
  return finish_view(std::move(nodes), std::move(edges));
}

void place_nodes(Json& network) {
  Json& nodes = network["nodes"];
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    places[nodes[i].at("id").get<std::int64_t>()] = i;
  }
  LayoutEdges edges;
  for (const Json& edge : network["edges"]) {
    if (edge.at("recurrent").get<bool>()) continue;
    const auto from = places.find(edge.at("from").get<std::int64_t>());
    const auto to = places.find(edge.at("to").get<std::int64_t>());
    if (from == places.end() || to == places.end()) continue;
    edges.emplace_back(from->second, to->second);
  }
  std::vector<std::size_t> columns = layout_columns(nodes.size(), edges);
  std::size_t last = 1;
  for (const std::size_t column : columns) last = std::max(last, column);
  std::vector<LayoutItem> items(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string kind = nodes[i].at("kind");
    if (kind == "input" || kind == "bias") columns[i] = 0;
    if (kind == "output") columns[i] = last;
    items[i] = {
        .column = columns[i],
        .height = 1,
        .keeps_order = kind == "input" || kind == "output" || kind == "bias"};
  }
  lay_out(items, edges);
  double low = 0;
  double high = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    low = i == 0 ? items[i].y : std::min(low, items[i].y);
    high = i == 0 ? items[i].y : std::max(high, items[i].y);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    nodes[i]["x"] = static_cast<double>(columns[i]) / static_cast<double>(last);
    nodes[i]["y"] = high > low ? (items[i].y - low) / (high - low) : 0.5;
  }
}

}  // namespace lamarck::runs
