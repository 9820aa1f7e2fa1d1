#include "lamarck/thought/session_export.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/thought/internal/export_graph.h"
#include "lamarck/thought/redaction.h"

namespace lamarck::thought {
namespace {

// Parses a JSON text; any other text becomes a JSON string.
Json value_of(const std::string& text) {
  if (text.empty()) return nullptr;
  auto json = parse_json(text);
  return json ? std::move(*json) : Json(text);
}

// The part of a private event's constraints that is exported.
Json public_part(const Json& constraints) {
  Json result = {{"private", true}};
  if (constraints.is_object() && constraints.contains("branch")) {
    result["branch"] = constraints.at("branch");
  }
  return result;
}

std::int64_t milliseconds_of(Clock::WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             time.time_since_epoch())
      .count();
}

void append_edges(Json& edges, const store::Event& event) {
  for (const store::Edge& edge : event.parents) {
    edges.push_back(
        {{"from", edge.from}, {"to", event.id}, {"type", edge.type}});
  }
}

}  // namespace

Json event_to_json(const store::Event& event, const ExportOptions& options) {
  const bool is_hidden = !options.with_private && internal::is_private(event);
  Json constraints = value_of(event.constraints);
  if (is_hidden) constraints = public_part(constraints);
  Json json = {{"id", event.id},
               {"seq", event.seq},
               {"type", event.type},
               {"role", event.role},
               {"content", is_hidden ? "[private]" : event.content},
               {"constraints", std::move(constraints)},
               {"score", value_of(event.score)},
               {"status", event.status},
               {"early_stop_reason", event.early_stop_reason},
               {"failure_signature", event.failure_signature},
               {"retry_count", event.retry_count},
               {"token_cost", event.token_cost},
               {"walltime_ms", event.walltime_ms},
               {"ts_ms", milliseconds_of(event.ts)},
               {"version", event.version},
               {"vector_clock", event.vector_clock}};
  return redacted_json(json);
}

std::string to_json_text(const Session& session,
                         const std::vector<store::Event>& events,
                         const ExportOptions& options) {
  Json event_list = Json::array();
  Json edges = Json::array();
  for (const store::Event& event : events) {
    event_list.push_back(event_to_json(event, options));
    append_edges(edges, event);
  }
  return dump_json({{"session", redacted_json(to_json(session))},
                    {"events", std::move(event_list)},
                    {"edges", std::move(edges)}});
}

std::string audit_bar(const Session& session) {
  constexpr std::int64_t kLength = 10;
  const std::int64_t used = std::max<std::int64_t>(session.tokens_used, 0);
  const std::int64_t budget = session.budgets.tokens;
  const std::int64_t filled =
      used >= budget
          ? kLength
          : static_cast<std::int64_t>(static_cast<double>(used) /
                                      static_cast<double>(budget) * kLength);
  std::string bar;
  for (std::int64_t i = 0; i < kLength; ++i) {
    bar += i < filled ? "\u2588" : "\u2591";
  }
  return fmt::format("Token Budget: [{}] {}/{}", bar, used, budget);
}

}  // namespace lamarck::thought
