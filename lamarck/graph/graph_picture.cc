#include "lamarck/graph/graph_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "lamarck/base/one_line.h"
#include "lamarck/graph/internal/graph_json.h"
#include "lamarck/graph/internal/layered_layout.h"

namespace lamarck {
namespace {

// The name and colors of a kind of node.
struct Look {
  std::string_view kind;
  std::string_view fill;
  std::string_view edge;
};

Look find_look(const Node& node) {
  if (node.is_parameter) return {"parameter", "#fff3d6", "#c98a00"};
  if (node.is_memory) return {"memory", "#efe3fb", "#7a3fb5"};
  if (node.is_constant) return {"constant", "#f1f1f1", "#888888"};
  if (node.is_leaf()) return {"input", "#dff2e1", "#2e8b57"};
  return {"operation", "#e3ecfb", "#2f5fb3"};
}

std::string make_title(const Node& node) {
  if (!node.is_leaf()) {
    const std::string operation(node.operation->name);
    return node.name.empty() ? operation : node.name + ": " + operation;
  }
  if (!node.name.empty()) return node.name;
  if (node.is_constant && node.value.element_count() == 1) {
    return fmt::format("{:g}", node.value.item());
  }
  return std::string(find_look(node).kind);
}

std::string escaped(const std::string& text, bool is_xml) {
  std::string out;
  for (const char c : one_line(text, 200)) {
    if (is_xml && c == '<') {
      out += "&lt;";
    } else if (is_xml && c == '&') {
      out += "&amp;";
    } else if (is_xml && c == '"') {
      out += "&quot;";
    } else if (!is_xml && (c == '"' || c == '\\')) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string with_commas(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0;
       at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

}  // namespace

std::string summary(const Graph& graph) {
  const GraphState& state = GraphAccess::state(graph);
  std::string text = fmt::format("{:>5}  {:24} {:16} {:14} {:>12}\n", "node",
                                 "what", "shape", "reads", "parameters");
  std::size_t tensors = 0;
  for (const NodeId id : state.topological_order()) {
    const Node& node = state.nodes[id];
    std::string reads;
    for (const NodeId input : node.inputs) {
      reads += (reads.empty() ? "" : " ") + std::to_string(input);
    }
    if (node.source) reads = "t-1: " + std::to_string(*node.source);
    std::string count;
    if (node.is_parameter) {
      ++tensors;
      count = with_commas(node.value.element_count());
    }
    text += fmt::format("{:>5}  {:24} {:16} {:14} {:>12}\n", id,
                        make_title(node), node.shape.to_string(), reads, count);
  }
  return text + fmt::format("{} parameters in {} tensors; {} nodes.\n",
                            with_commas(graph.parameter_count()), tensors,
                            graph.node_count());
}

std::string to_dot(const Graph& graph) {
  const GraphState& state = GraphAccess::state(graph);
  std::string dot =
      "digraph lamarck {\n  rankdir=LR;\n"
      "  node [shape=box, style=\"rounded,filled\", "
      "fontname=\"sans-serif\"];\n";
  for (const NodeId id : graph.node_ids()) {
    const Node& node = state.nodes[id];
    const Look look = find_look(node);
    dot += fmt::format(
        "  n{} [label=\"{}\\n{}\", fillcolor=\"{}\", color=\"{}\"];\n", id,
        escaped(make_title(node), false), node.shape.to_string(), look.fill,
        look.edge);
    for (const NodeId input : node.inputs) {
      dot += fmt::format("  n{} -> n{};\n", input, id);
    }
    if (node.source) {
      dot += fmt::format(
          "  n{} -> n{} [style=dashed, constraint=false, label=\"t-1\"];\n",
          *node.source, id);
    }
  }
  return dot + "}\n";
}

std::string to_svg(const Graph& graph) {
  constexpr double kColumn = 150;
  constexpr double kRow = 58;
  constexpr double kWidth = 112;
  constexpr double kHeight = 38;
  constexpr double kMargin = 60;
  const GraphState& state = GraphAccess::state(graph);
  const std::vector<NodeId> ids = graph.node_ids();
  std::map<NodeId, std::size_t> number;
  for (const NodeId id : ids) number.emplace(id, number.size());
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (const NodeId id : ids) {
    for (const NodeId input : state.nodes[id].inputs) {
      edges.emplace_back(number.at(input), number.at(id));
    }
  }
  const std::vector<LayoutPlace> places = layered_layout(ids.size(), edges);
  double top = 0;
  std::size_t columns = 1;
  for (const LayoutPlace& place : places) {
    top = std::min(top, place.row);
    columns = std::max(columns, place.column + 1);
  }
  const auto x = [&](std::size_t at) {
    return 20 + static_cast<double>(places[at].column) * kColumn;
  };
  const auto y = [&](std::size_t at) {
    return kMargin + (places[at].row - top) * kRow;
  };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      40 + static_cast<double>(columns) * kColumn - (kColumn - kWidth),
      2 * kMargin - 2 * top * kRow + kHeight);
  const auto curve = [&](std::size_t from, std::size_t to, bool is_dashed) {
    const double x1 = x(from) + kWidth;
    const double y1 = y(from) + kHeight / 2;
    const double x2 = x(to);
    const double y2 = y(to) + kHeight / 2;
    // A recurrent edge goes back to an earlier column, in an arc above the
    // nodes.
    const double bend = is_dashed ? 60 : std::max(20.0, (x2 - x1) / 2);
    const double above = std::min(y1, y2) - kRow * 1.4;
    svg += fmt::format(
        "<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" "
        "fill=\"none\" stroke=\"#9aa4b2\" stroke-width=\"1.3\"{}/>\n",
        x1, y1, x1 + bend, is_dashed ? above : y1, x2 - bend,
        is_dashed ? above : y2, x2, y2,
        is_dashed ? " stroke-dasharray=\"5 4\"" : "");
  };
  for (const auto& [from, to] : edges) curve(from, to, false);
  for (const NodeId id : ids) {
    const auto& source = state.nodes[id].source;
    if (source) curve(number.at(*source), number.at(id), true);
  }
  for (std::size_t at = 0; at < ids.size(); ++at) {
    const Node& node = state.nodes[ids[at]];
    const Look look = find_look(node);
    std::string title = make_title(node);
    if (title.size() > 17) title = title.substr(0, 16) + "…";
    svg += fmt::format(
        "<g><title>node {}: {} {}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" "
        "width=\"{}\" height=\"{}\" rx=\"8\" fill=\"{}\" stroke=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\" "
        "fill=\"#667\">{}</text></g>\n",
        ids[at], escaped(make_title(node), true), node.shape.to_string(), x(at),
        y(at), kWidth, kHeight, look.fill, look.edge, x(at) + kWidth / 2,
        y(at) + 16, escaped(title, true), x(at) + kWidth / 2, y(at) + 31,
        node.shape.to_string());
  }
  return svg + "</svg>\n";
}

}  // namespace lamarck
