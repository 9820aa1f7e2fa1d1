#include "lamarck/thought/internal/export_graph.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/one_line.h"
#include "lamarck/store/redaction.h"
#include "lamarck/thought/internal/session_views.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::array kEventLooks = {
    EventLook{"plan_step", "[", "]", "box", "#dbeafe", "#3b82f6"},
    EventLook{"critique", "{{", "}}", "hexagon", "#fce7f3", "#db2777"},
    EventLook{"branch", "([", "])", "ellipse", "#ede9fe", "#8b5cf6"},
    EventLook{"merge", "[[", "]]", "box3d", "#e0e7ff", "#6366f1"},
    EventLook{"validate", "[/", "/]", "parallelogram", "#fef3c7", "#f59e0b"},
    EventLook{"checkpoint", "[(", ")]", "cylinder", "#f1f5f9", "#64748b"},
    EventLook{"evidence", "[\\", "\\]", "note", "#dcfce7", "#22c55e"},
    EventLook{"parallel", "[/", "\\]", "trapezium", "#cffafe", "#06b6d4"},
    EventLook{"session", "(", ")", "oval", "#f3f4f6", "#374151"},
};

constexpr EventLook kFailureLook{"failure", "[",       "]",
                                 "box",     "#fecaca", "#dc2626"};

constexpr std::array kEdgeLooks = {
    EdgeLook{"causes", "-->", "solid", "#94a3b8", ""},
    EdgeLook{"refines", "-.->", "dashed", "#3b82f6", "6 4"},
    EdgeLook{"contradicts", "--x", "solid", "#ef4444", "2 3"},
    EdgeLook{"supports", "==>", "bold", "#22c55e", ""},
};

template <class Looks>
const auto* find_look(const Looks& looks, std::string_view type) {
  for (const auto& look : looks) {
    if (look.type == type) return &look;
  }
  return &looks.front();
}

constexpr std::size_t kMaxText = 120;  // Characters.

std::string shown(std::string_view text) {
  return one_line(store::redacted(text), kMaxText);
}

// The constraints of the event, or an empty object if they are not one.
Json parse_details(const store::Event& event) {
  if (event.constraints.empty()) return Json::object();
  auto details = parse_json(event.constraints);
  return details && details->is_object() ? *details : Json::object();
}

bool is_marked_private(const Json& details) {
  const auto found = details.find("private");
  return found != details.end() && *found != false && !found->is_null();
}

// Builds the graph event by event.
bool says_failure(const store::Event& event, const Json& details) {
  if (event.status == "rejected") return true;
  const auto success = details.find("success");
  return event.type == "evidence" && success != details.end() &&
         *success == false;
}

class GraphBuilder {
 public:
  GraphBuilder(const Session& session, const ExportOptions& options)
      : session_(session), options_(options) {
    find_lane("main");
  }

  void add(const store::Event& event) {
    const Json details = parse_details(event);
    const auto branch = details.find("branch");
    const bool has_branch = branch != details.end() && branch->is_string();
    const std::size_t index = graph_.nodes.size();
    graph_.nodes.push_back(
        {.type = event.type,
         .text = text_of(event, details),
         .lane = has_branch ? find_lane(branch->get<std::string>()) : 0,
         .look = find_look(kEventLooks, event.type),
         .has_failed = says_failure(event, details)});
    for (const store::Edge& edge : event.parents) add_arrow(edge, index);
    indices_.emplace(event.id, index);
  }

  ExportGraph finish() {
    for (const auto& [id, branch] : session_.branches) find_lane(id);
    return std::move(graph_);
  }

 private:
  std::string text_of(const store::Event& event, const Json& details) const {
    if (!options_.with_private && is_marked_private(details)) {
      return "[private]";
    }
    return shown(event.content.empty() ? event.type : event.content);
  }

  std::size_t find_lane(const std::string& branch) {
    const auto [found, is_new] = lanes_.emplace(branch, graph_.lanes.size());
    if (is_new) graph_.lanes.push_back({branch, title_of(branch)});
    return found->second;
  }

  std::string title_of(const std::string& id) const {
    const auto found = session_.branches.find(id);
    if (found == session_.branches.end()) return shown(id);
    const Branch& branch = found->second;
    return fmt::format("{} ({})",
                       shown(branch.name.empty() ? branch.id : branch.name),
                       shown_state(branch));
  }

  void add_arrow(const store::Edge& edge, std::size_t to) {
    const auto from = indices_.find(edge.from);
    if (from == indices_.end()) return;
    graph_.arrows.push_back(
        {from->second, to, find_look(kEdgeLooks, edge.type)});
  }

  const Session& session_;
  const ExportOptions& options_;
  ExportGraph graph_;
  std::unordered_map<std::string, std::size_t>
      indices_;  // Node index by event id.
  std::unordered_map<std::string, std::size_t> lanes_;  // By branch.
};

}  // namespace

std::span<const EventLook> event_looks() { return kEventLooks; }

const EventLook& failure_look() { return kFailureLook; }

std::span<const EdgeLook> edge_looks() { return kEdgeLooks; }

ExportGraph export_graph(const Session& session,
                         const std::vector<store::Event>& events,
                         const ExportOptions& options) {
  GraphBuilder builder(session, options);
  for (const store::Event& event : events) builder.add(event);
  return builder.finish();
}

bool is_private(const store::Event& event) {
  return is_marked_private(parse_details(event));
}

}  // namespace lamarck::thought::internal
