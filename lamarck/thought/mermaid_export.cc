// Exports sessions as Mermaid flowcharts: one subgraph for each branch.

#include <fmt/format.h>

#include "lamarck/thought/internal/export_graph.h"
#include "lamarck/thought/session_export.h"

namespace lamarck::thought {
namespace {

bool is_plain(char c) {
  const bool is_alphanumeric = (c >= '0' && c <= '9') ||
                               (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return is_alphanumeric || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view(" .,:_/()-").find(c) != std::string_view::npos;
}

// Quotes the text and encodes every character that has a meaning in Mermaid,
// Markdown or HTML as an entity.
std::string label(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (is_plain(c)) {
      result += c;
    } else {
      result += fmt::format("#{};", static_cast<int>(c));
    }
  }
  return result + '"';
}

void append_nodes(std::string& result, const internal::ExportGraph& graph,
                  const std::vector<std::size_t>& nodes) {
  for (const std::size_t index : nodes) {
    const internal::ExportNode& node = graph.nodes[index];
    result += fmt::format("    e{}{}{}{}:::{}\n", index + 1,
                          node.look->mermaid_open, label(node.text),
                          node.look->mermaid_close, node.colours().type);
  }
}

// Leaves out lanes without events: Mermaid draws an empty subgraph as a node.
void append_mermaid_lanes(std::string& result,
                          const internal::ExportGraph& graph) {
  std::vector<std::vector<std::size_t>> nodes(graph.lanes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    nodes[graph.nodes[i].lane].push_back(i);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].empty()) continue;
    result += fmt::format("  subgraph lane{}[{}]\n", i + 1,
                          label(graph.lanes[i].title));
    append_nodes(result, graph, nodes[i]);
    result += "  end\n";
  }
}

void append_arrows(std::string& result, const internal::ExportGraph& graph) {
  for (const internal::ExportArrow& arrow : graph.arrows) {
    // The default edge type needs no label.
    const bool is_default = arrow.look == internal::edge_looks().data();
    const std::string name =
        is_default ? "" : fmt::format("|{}|", arrow.look->type);
    result += fmt::format("  e{} {}{} e{}\n", arrow.from + 1,
                          arrow.look->mermaid_arrow, name, arrow.to + 1);
  }
}

}  // namespace

std::string to_mermaid(const Session& session,
                       const std::vector<store::Event>& events,
                       const ExportOptions& options) {
  const auto graph = internal::export_graph(session, events, options);
  std::string result = "flowchart TD\n";
  append_mermaid_lanes(result, graph);
  append_arrows(result, graph);
  const auto define = [&](const internal::EventLook& look) {
    result += fmt::format("  classDef {} fill:{},stroke:{},color:#111827\n",
                          look.type, look.fill, look.stroke);
  };
  for (const internal::EventLook& look : internal::event_looks()) define(look);
  define(internal::failure_look());
  return result;
}

}  // namespace lamarck::thought
