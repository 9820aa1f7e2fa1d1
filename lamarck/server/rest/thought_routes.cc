// The routes of thought sessions. They only read; MCP tools and `lamarck think`
// write.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/rest/internal/journal_pages.h"
#include "lamarck/server/rest/internal/route_groups.h"
#include "lamarck/store/redaction.h"
#include "lamarck/thought/session_export.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kThoughtKind = "thought";

Result<Json> list_thoughts(const RouteCall& call) {
  return list_runs_of_kind(call, kThoughtKind, "goal");
}

Json branch_json(const thought::Branch& branch) {
  return {{"id", branch.id},
          {"name", branch.name},
          {"from", branch.from},
          {"state", thought::shown_branch_state(branch)},
          {"score",
           branch.is_scored ? Json(thought::reward_of(branch.score)) : Json()},
          {"tokens", branch.tokens},
          {"steps", branch.steps},
          {"outcome", branch.outcome},
          {"plan_type", branch.plan_type},
          {"plan", branch.plan},
          {"created", branch.created}};
}

Json branches_json(const thought::Session& session) {
  std::vector<const thought::Branch*> order;
  for (const auto& [id, branch] : session.branches) order.push_back(&branch);
  std::ranges::sort(order, {}, &thought::Branch::created);
  Json list = Json::array();
  for (const thought::Branch* branch : order) {
    list.push_back(branch_json(*branch));
  }
  return list;
}

Json session_json(const thought::Session& session) {
  Json criteria = Json::array();
  for (std::size_t i = 0; i < session.success_criteria.size(); ++i) {
    criteria.push_back({{"text", session.success_criteria[i]},
                        {"state", session.criteria[i].state}});
  }
  Json alerts = Json::array();
  for (const thought::Alert& alert : session.alerts) {
    alerts.push_back({{"kind", alert.kind},
                      {"message", alert.message},
                      {"event", alert.event}});
  }
  return {{"id", session.id},
          {"goal", session.goal},
          {"state", thought::session_state_name(session.state)},
          {"criteria", std::move(criteria)},
          {"tokens",
           {{"used", session.tokens_used},
            {"reserved", session.tokens_reserved},
            {"limit", session.budgets.tokens}}},
          {"time",
           {{"used_ms", session.time_used.count()},
            {"limit_ms", session.budgets.wall_time.count()}}},
          {"branches", branches_json(session)},
          {"winner", session.winner},
          {"evidence", session.evidence_links.empty() ? session.evidence_chain
                                                      : session.evidence_links},
          {"alerts", std::move(alerts)},
          {"at", session.head}};
}

// The state after the event `at`: the fold over the events up to it.
Result<thought::Session> session_at(ThoughtService& service,
                                    const std::string& id, std::uint64_t at) {
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   service.journal().events(id, 0, at));
  if (events.empty() || events.front().seq != 1) {
    return Error(ErrorCode::FailedPrecondition,
                 fmt::format("The first events of {} were pruned, so its state "
                             "after event {} is not known; leave out `at`.",
                             in_quotes(id), at));
  }
  thought::Session session;
  for (const store::Event& event : events) {
    if (event.seq > at) break;
    RETURN_IF_ERROR(thought::apply(session, event));
  }
  return session;
}

Result<Json> show_thought(const RouteCall& call) {
  ASSIGN_OR_RETURN(ThoughtService * service, service_of(call));
  ASSIGN_OR_RETURN(const store::Run run,
                   find_run(call, *service, kThoughtKind, "session"));
  const auto at = static_cast<std::uint64_t>(get_count(call.query, "at", 0));
  const bool is_past = at != 0 && at < run.head;
  ASSIGN_OR_RETURN(const thought::Session session,
                   is_past ? session_at(*service, run.id, at)
                           : service->engine().session_now(run.id));
  Json data = session_json(session);
  data["created"] = epoch_ms(run.created);
  data["updated"] = epoch_ms(run.updated);
  data["as_of"] = std::max(run.head, session.head);
  data["metrics"] = nullptr;
  if (!is_past) {
    ASSIGN_OR_RETURN(const std::string text, service->engine().metrics(run.id));
    ASSIGN_OR_RETURN(data["metrics"], parse_json(text));
  }
  return store::redacted_json(data);
}

Json thought_event_json(const store::Event& event) {
  Json json = thought::event_to_json(event);
  json.erase("vector_clock");
  Json parents = Json::array();
  for (const store::Edge& edge : event.parents) {
    parents.push_back({{"from", edge.from}, {"type", edge.type}});
  }
  json["parents"] = std::move(parents);
  const Json& details = json.at("constraints");
  json["branch"] = details.is_object() ? get_text(details, "branch") : "";
  return json;
}

Result<Json> list_thought_events(const RouteCall& call) {
  ASSIGN_OR_RETURN(ThoughtService * service, service_of(call));
  ASSIGN_OR_RETURN(const store::Run run,
                   find_run(call, *service, kThoughtKind, "session"));
  const auto after =
      static_cast<std::uint64_t>(get_count(call.query, "after", 0));
  ASSIGN_OR_RETURN(
      const std::vector<store::Event> events,
      service->journal().events(run.id, after, limit_of(call, 1000)));
  Json list = Json::array();
  for (const store::Event& event : events) {
    list.push_back(thought_event_json(event));
  }
  const std::uint64_t last = events.empty() ? after : events.back().seq;
  return Json{{"events", std::move(list)},
              {"next", last},
              {"as_of", std::max(run.head, last)}};
}

constexpr std::array kThoughtRoutes = {
    Route{.method = "GET",
          .path = "/thoughts",
          .operation = "list_thoughts",
          .summary = "List thought sessions, newest first.",
          .query = kRunListQuery,
          .response = R"({"$ref": "#/components/schemas/ThoughtPage"})",
          .handle = list_thoughts},
    Route{.method = "GET",
          .path = "/thoughts/{id}",
          .operation = "show_thought",
          .summary = "Show a thought session, now or after one of its events.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {"at": {"type": "integer", "minimum": 1,
              "description": "The number of the event; default: the newest."}}})",
          .response = R"({"$ref": "#/components/schemas/ThoughtSession"})",
          .handle = show_thought},
    Route{.method = "GET",
          .path = "/thoughts/{id}/events",
          .operation = "list_thought_events",
          .summary = "List the events of a thought session in order.",
          .query = R"({"type": "object", "additionalProperties": false,
            "properties": {
              "after": {"type": "integer", "minimum": 0, "default": 0,
                "description": "`next` of the previous page."},
              "limit": {"type": "integer", "minimum": 1, "maximum": 5000,
                "default": 1000}}})",
          .response = R"({"$ref": "#/components/schemas/ThoughtEvents"})",
          .handle = list_thought_events},
};

}  // namespace

std::span<const Route> thought_routes() { return kThoughtRoutes; }

}  // namespace lamarck::server
