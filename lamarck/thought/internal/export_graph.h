// A session's events as boxes and arrows, ready to be drawn in any language.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/store/event.h"
#include "lamarck/thought/session.h"
#include "lamarck/thought/session_export.h"

namespace lamarck::thought::internal {

// How the events of a type look. The first entry also stands for all types
// that the list does not have.
struct EventLook {
  std::string_view type;
  std::string_view mermaid_open;
  std::string_view mermaid_close;
  std::string_view dot_shape;
  std::string_view fill;
  std::string_view stroke;
};
std::span<const EventLook> event_looks();

// Likewise for the types of edges.
struct EdgeLook {
  std::string_view type;
  std::string_view mermaid_arrow;
  std::string_view dot_style;
  std::string_view colour;
  std::string_view dashes;  // SVG's; "" = a whole line.
};
std::span<const EdgeLook> edge_looks();

struct ExportNode {
  std::string type;
  std::string text;  // Redacted, on one line; what it says, else its type.
  std::size_t lane = 0;
  const EventLook* look = nullptr;
};
struct ExportArrow {
  std::size_t from = 0;  // Indices of nodes; from < to.
  std::size_t to = 0;
  const EdgeLook* look = nullptr;
};
struct ExportLane {
  std::string branch;
  std::string title;  // Its name and state; redacted, on one line.
};

// Lanes are branches in the order in which they appear, main first. An event
// of no branch is in the first lane; an edge from an event that is not among
// `events` is left out.
struct ExportGraph {
  std::vector<ExportNode> nodes;  // One for each event, in their order.
  std::vector<ExportArrow> arrows;
  std::vector<ExportLane> lanes;
};
ExportGraph export_graph(const Session& session,
                         const std::vector<store::Event>& events,
                         const ExportOptions& options);

// Whether the event is marked private in its constraints.
bool is_private(const store::Event& event);

}  // namespace lamarck::thought::internal
