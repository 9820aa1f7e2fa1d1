// The events of a session as boxes and arrows, independent of the output
// format.

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

// How events of one type are drawn. The first entry is also the default for
// unknown types.
struct EventLook {
  std::string_view type;
  std::string_view mermaid_open;
  std::string_view mermaid_close;
  std::string_view dot_shape;
  std::string_view fill;
  std::string_view stroke;
};
std::span<const EventLook> event_looks();
// The colours of an event that says that something failed; its type is the
// name of the class.
const EventLook& failure_look();

// How edges of one type are drawn; the first entry is the default.
struct EdgeLook {
  std::string_view type;
  std::string_view mermaid_arrow;
  std::string_view dot_style;
  std::string_view colour;
  std::string_view dashes;  // For stroke-dasharray; "" = solid.
};
std::span<const EdgeLook> edge_looks();

struct ExportNode {
  std::string type;
  std::string text;  // Content or, if empty, type; redacted, on one line.
  std::size_t lane = 0;
  const EventLook* look = nullptr;
  bool has_failed = false;  // A rejected plan, a failed execution or request.

  // The look that gives the colours.
  const EventLook& colours() const {
    return has_failed ? failure_look() : *look;
  }
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
// without a branch is in the first lane. Edges from events that are not in
// `events` are left out.
struct ExportGraph {
  std::vector<ExportNode> nodes;  // One for each event, in their order.
  std::vector<ExportArrow> arrows;
  std::vector<ExportLane> lanes;
};
ExportGraph export_graph(const Session& session,
                         const std::vector<store::Event>& events,
                         const ExportOptions& options);

// Returns whether the constraints mark the event as private.
bool is_private(const store::Event& event);

}  // namespace lamarck::thought::internal
