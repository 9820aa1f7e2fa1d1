// Exports sessions as Graphviz graphs: one cluster for each branch.

#include <fmt/format.h>

#include "lamarck/base/one_line.h"
#include "lamarck/thought/internal/export_graph.h"
#include "lamarck/thought/session_export.h"

namespace lamarck::thought {
namespace {

std::string dot_quoted(std::string_view text) {
  return "\"" + dot_text(text) + "\"";
}

void append_dot_lanes(std::string& result, const internal::ExportGraph& graph) {
  std::vector<std::string> bodies(graph.lanes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const internal::ExportNode& node = graph.nodes[i];
    bodies[node.lane] += fmt::format(
        "    e{} [label={}, shape={}, fillcolor=\"{}\", color=\"{}\"];\n",
        i + 1, dot_quoted(node.text), node.look->dot_shape, node.colours().fill,
        node.colours().stroke);
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    result += fmt::format("  subgraph cluster_{} {{\n    label={};\n{}  }}\n",
                          i + 1, dot_quoted(graph.lanes[i].title), bodies[i]);
  }
}

}  // namespace

std::string to_dot(const Session& session,
                   const std::vector<store::Event>& events,
                   const ExportOptions& options) {
  const auto graph = internal::export_graph(session, events, options);
  std::string result =
      "digraph session {\n"
      "  node [style=filled, fontname=\"sans-serif\", fontsize=10];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  append_dot_lanes(result, graph);
  for (const internal::ExportArrow& arrow : graph.arrows) {
    // The default edge type needs no label.
    const bool is_default = arrow.look == internal::edge_looks().data();
    result += fmt::format(
        "  e{} -> e{} [style={}, color=\"{}\"{}];\n", arrow.from + 1,
        arrow.to + 1, arrow.look->dot_style, arrow.look->colour,
        is_default ? "" : fmt::format(", label={}", arrow.look->type));
  }
  return result + "}\n";
}

}  // namespace lamarck::thought
