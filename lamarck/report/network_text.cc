// The text description of a network and its graph for Graphviz.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "lamarck/base/display_number.h"
#include "lamarck/base/one_line.h"
#include "lamarck/evolution/node_kind.h"
#include "lamarck/report/internal/picture_parts.h"
#include "lamarck/report/network_picture.h"
#include "lamarck/report/report_text.h"

namespace lamarck::report {
namespace {

using evolution::Loss;
using evolution::name_of;
using evolution::Network;
using evolution::NetworkEdge;
using evolution::NetworkNode;
using evolution::Role;
using evolution::UnitId;

constexpr std::size_t kMaxListed = 8;  // Sources listed by name.
constexpr std::size_t kMaxEdgesInFormulas = 60;

std::string dot_quoted(const std::string& text) {
  return "\"" + dot_text(one_line(text, 80)) + "\"";
}

class TextWriter {
 public:
  TextWriter(const Network& network, const PictureOptions& options)
      : network_(network), options_(options) {}

  std::string write() {
    add_counts();
    add_nodes();
    // Only scalar neurons have formulas that fit on a line.
    const bool is_small = network_.has_only_neurons() &&
                          network_.edges().size() <= kMaxEdgesInFormulas;
    if (is_small) add_formulas();
    return std::move(text_);
  }

 private:
  std::string label(UnitId id) const {
    return one_line(node_label(network_, id, options_), 40);
  }

  void add_counts() {
    if (!options_.title.empty()) text_ += one_line(options_.title) + "\n";
    const std::size_t recurrent = network_.recurrent_edge_count();
    text_ += fmt::format(
        "{}, {}, {}; {}{}; {}; {}.\n", counted(network_.input_width(), "input"),
        counted(network_.hidden_count(), "hidden node"),
        counted(network_.output_width(), "output"),
        counted(network_.edges().size(), "edge"),
        recurrent > 0 ? fmt::format(" ({} recurrent)", recurrent) : "",
        counted(network_.parameters().size(), "parameter"), head_text());
  }

  std::string head_text() const {
    switch (network_.head()) {
      case Loss::CrossEntropy:
        return "its outputs are probabilities that sum to 1";
      case Loss::BinaryCrossEntropy:
        return "its outputs are probabilities";
      case Loss::MeanSquared:
        break;
    }
    return "its outputs are numbers";
  }

  std::vector<const NetworkEdge*> incoming_edges(UnitId id) const {
    std::vector<const NetworkEdge*> edges;
    for (const NetworkEdge& edge : network_.edges()) {
      if (edge.to == id) edges.push_back(&edge);
    }
    return edges;
  }

  std::string source(const NetworkEdge& edge) const {
    return label(edge.from) + (edge.recurrent ? " (previous step)" : "");
  }

  std::string sources(UnitId id) const {
    const auto edges = incoming_edges(id);
    if (edges.empty()) return "has no inputs";
    if (edges.size() > kMaxListed) {
      const auto inputs = std::ranges::count_if(edges, [&](const auto* edge) {
        return network_.node(edge->from).role == Role::Input;
      });
      return fmt::format(
          "reads {} and {}", counted(static_cast<std::size_t>(inputs), "input"),
          counted(edges.size() - static_cast<std::size_t>(inputs), "node"));
    }
    std::string text = "reads ";
    for (std::size_t i = 0; i < edges.size(); ++i) {
      text += (i == 0 ? "" : ", ") + source(*edges[i]);
    }
    return text;
  }

  std::size_t parameter_count(const NetworkNode& node) const {
    std::size_t count = node.own_count();
    for (const NetworkEdge* edge : incoming_edges(node.id))
      count += edge->count;
    return count;
  }

  void add_nodes() {
    text_ += "\n";
    std::size_t width = 0;
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role != Role::Input) {
        width = std::max(width, label(node.id).size());
      }
    }
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role == Role::Input) continue;
      text_ += fmt::format("  {:<{}}  {:<16}  {}; {}\n", label(node.id), width,
                           node_description(node), sources(node.id),
                           counted(parameter_count(node), "parameter"));
    }
  }

  // ---- Formulas. A prime marks the value at the previous step.

  std::string term(const NetworkEdge& edge, bool is_first) const {
    const double weight = static_cast<double>(network_.weights(edge)[0]);
    std::string name = label(edge.from);
    if (edge.recurrent) name += "'";
    return signed_text(weight, is_first) + " " + name;
  }

  static std::string signed_text(double value, bool is_first) {
    const std::string size = short_number(std::abs(value));
    if (is_first) return (value < 0 ? "-" : "") + size;
    return (value < 0 ? "- " : "+ ") + size;
  }

  // The weighted inputs of a node, such as "2 a - 3 b" or "max(2 a, -3 b)".
  std::string aggregated(const NetworkNode& node) const {
    const auto edges = incoming_edges(node.id);
    const bool is_sum = node.aggregation == evolution::Aggregation::Sum;
    std::string text;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const bool is_first = i == 0 || !is_sum;
      text += i == 0 ? "" : is_sum ? " " : ", ";
      text += term(*edges[i], is_first);
    }
    if (is_sum || edges.empty()) return text;
    return fmt::format("{}({})", name_of(node.aggregation), text);
  }

  void add_formulas() {
    text_ += "\n";
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role == Role::Input) continue;
      std::string inner = aggregated(node);
      const double bias = static_cast<double>(network_.own_parameters(node)[0]);
      if (inner.empty()) {
        inner = signed_text(bias, true);
      } else if (bias != 0) {
        inner += " " + signed_text(bias, false);
      }
      text_ += fmt::format(
          "  {} = {}\n", label(node.id),
          node.activation == evolution::Activation::Identity
              ? inner
              : fmt::format("{}({})", name_of(node.activation), inner));
    }
    for (const NetworkEdge& edge : network_.edges()) {
      if (!edge.recurrent) continue;
      text_ +=
          fmt::format("  ({0}' is the value of {0} at the previous step.)\n",
                      label(edge.from));
      break;
    }
  }

  const Network& network_;
  const PictureOptions& options_;
  std::string text_;
};

std::string dot_node(const PictureNode& node, std::size_t index) {
  const bool is_circle = node.neuron && node.role == Role::Hidden;
  const std::string label =
      node.neuron
          ? node.role == Role::Input
                ? node.label
                : node.label + " (" +
                      std::string(name_of(node.neuron->activation)) + ")"
          : node.label +
                (node.second_line.empty() ? "" : " " + node.second_line);
  return fmt::format("  n{} [shape={}, label={}];\n", index,
                     is_circle      ? "ellipse"
                     : !node.neuron ? "box, style=rounded"
                                    : "plaintext",
                     dot_quoted(label));
}

std::string dot_edge(const PictureEdge& edge) {
  const char* colour = edge.count > 1    ? "#7d8894"
                       : edge.weight < 0 ? "#d55e00"
                                         : "#0072b2";
  return fmt::format(
      "  n{} -> n{} [color=\"{}\", penwidth={:.2f}, tooltip={}{}];\n",
      edge.from, edge.to, colour, 0.5 + 2.5 * edge.strength,
      dot_quoted(edge.tip),
      edge.recurrent ? ", style=dashed, constraint=false" : "");
}

}  // namespace

std::string to_text(const Network& network, const PictureOptions& options) {
  return TextWriter(network, options).write();
}

std::string to_dot(const Network& network, const PictureOptions& options) {
  const PictureParts parts = picture_parts(network, options);
  std::string dot = "digraph network {\n  rankdir=LR;\n";
  if (!options.title.empty()) {
    dot += fmt::format("  label={};\n", dot_quoted(options.title));
  }
  for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
    dot += dot_node(parts.nodes[i], i);
  }
  for (const PictureEdge& edge : parts.edges) dot += dot_edge(edge);
  return dot + "}\n";
}

}  // namespace lamarck::report
