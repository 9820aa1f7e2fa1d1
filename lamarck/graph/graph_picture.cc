#include "lamarck/graph/graph_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "lamarck/base/display_number.h"
#include "lamarck/base/one_line.h"
#include "lamarck/graph/internal/graph_json.h"
#include "lamarck/graph/layered_layout.h"

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
    return short_number(node.value.item(), 6);
  }
  return std::string(find_look(node).kind);
}

// Sizes in pixels.
constexpr double kColumn = 150;
constexpr double kRow = 58;
constexpr double kWidth = 112;
constexpr double kHeight = 38;
constexpr double kMargin = 60;

class GraphSvg {
 public:
  explicit GraphSvg(const Graph& graph)
      : state_(GraphAccess::state(graph)), ids_(graph.node_ids()) {
    for (const NodeId id : ids_) index_.emplace(id, index_.size());
  }

  std::string write() {
    place();
    for (const auto& [from, to] : edges_) draw_edge(from, to, false);
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const auto& source = state_.nodes[ids_[i]].source;
      if (source) draw_edge(index_.at(*source), i, true);
    }
    for (std::size_t i = 0; i < ids_.size(); ++i) draw_node(i);
    return framed();
  }

 private:
  void place() {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      for (const NodeId input : state_.nodes[ids_[i]].inputs) {
        edges_.emplace_back(index_.at(input), i);
      }
    }
    for (const std::size_t column : layout_columns(ids_.size(), edges_)) {
      items_.push_back({.column = column, .height = kRow});
    }
    lay_out(items_, edges_);
    double top = 0;
    double bottom = 0;
    for (const LayoutItem& item : items_) {
      top = std::min(top, item.y);
      bottom = std::max(bottom, item.y);
      columns_ = std::max(columns_, item.column + 1);
    }
    for (LayoutItem& item : items_) item.y += kMargin - top;
    height_ = 2 * kMargin + bottom - top + kHeight;
  }

  double left(std::size_t index) const {
    return 20 + static_cast<double>(items_[index].column) * kColumn;
  }
  double top(std::size_t index) const { return items_[index].y; }

  void draw_edge(std::size_t from, std::size_t to, bool is_recurrent) {
    const double x1 = left(from) + kWidth;
    const double y1 = top(from) + kHeight / 2;
    const double x2 = left(to);
    const double y2 = top(to) + kHeight / 2;
    // A recurrent edge goes back to an earlier column, in an arc above the
    // nodes.
    const double bend = is_recurrent ? 60 : std::max(20.0, (x2 - x1) / 2);
    const double above = std::min(y1, y2) - kRow * 1.4;
    body_ += fmt::format(
        "<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" "
        "fill=\"none\" stroke=\"#9aa4b2\" stroke-width=\"1.3\"{}/>\n",
        x1, y1, x1 + bend, is_recurrent ? above : y1, x2 - bend,
        is_recurrent ? above : y2, x2, y2,
        is_recurrent ? " stroke-dasharray=\"5 4\"" : "");
  }

  void draw_node(std::size_t index) {
    const Node& node = state_.nodes[ids_[index]];
    const Look look = find_look(node);
    const std::string title = make_title(node);
    const double x = left(index);
    const double y = top(index);
    body_ += fmt::format(
        "<g><title>node {}: {} {}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" "
        "width=\"{}\" height=\"{}\" rx=\"8\" fill=\"{}\" stroke=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\" "
        "fill=\"#667\">{}</text></g>\n",
        ids_[index], markup_text(one_line(title, 200)), node.shape.to_string(),
        x, y, kWidth, kHeight, look.fill, look.edge, x + kWidth / 2, y + 16,
        markup_text(one_line(title, 17)), x + kWidth / 2, y + 31,
        node.shape.to_string());
  }

  std::string framed() const {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
               "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
               "font-family=\"sans-serif\" font-size=\"12\" "
               "text-anchor=\"middle\">\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
               40 + static_cast<double>(columns_) * kColumn -
                   (kColumn - kWidth),
               height_) +
           body_ + "</svg>\n";
  }

  const GraphState& state_;
  std::vector<NodeId> ids_;
  std::map<NodeId, std::size_t> index_;  // Of each node in ids_ and items_.
  LayoutEdges edges_;
  std::vector<LayoutItem> items_;
  std::size_t columns_ = 1;
  double height_ = 0;
  std::string body_;
};

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
      count = grouped_digits(node.value.element_count());
    }
    text += fmt::format("{:>5}  {:24} {:16} {:14} {:>12}\n", id,
                        make_title(node), node.shape.to_string(), reads, count);
  }
  return text + fmt::format("{} parameters in {} tensors; {} nodes.\n",
                            grouped_digits(graph.parameter_count()), tensors,
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
        dot_text(one_line(make_title(node), 200)), node.shape.to_string(),
        look.fill, look.edge);
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

std::string to_svg(const Graph& graph) { return GraphSvg(graph).write(); }

}  // namespace lamarck
