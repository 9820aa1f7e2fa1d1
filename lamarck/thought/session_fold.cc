#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/thought/event_kinds.h"
#include "lamarck/thought/internal/amount.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought {
namespace {

using store::Event;

Error damaged(const Event& event, std::string_view why) {
  return {
      ErrorCode::DataDamaged,
      fmt::format("Event {} (number {} of session {}) is not valid here: {}",
                  event.id, event.seq, in_quotes(event.run), why),
      {{"event", event.id}}};
}

Result<const EventKind*> find_kind(const Event& event) {
  const auto kinds = event_kinds();
  const auto found = std::ranges::find(kinds, event.type, &EventKind::type);
  if (found != kinds.end()) return &*found;
  return damaged(event,
                 fmt::format("unknown event type {}.", in_quotes(event.type)));
}

Result<void> check_place(const Session& session, const Event& event,
                         const Json& details) {
  if (event.seq != session.head + 1) {
    return damaged(
        event, fmt::format("the next number must be {}.", session.head + 1));
  }
  if (session.head == 0 && event.type != "session") {
    return damaged(event, "the session has not started.");
  }
  if (is_final(session.state) && !details.contains("late")) {
    return damaged(event, "the session has ended.");
  }
  if (!internal::is_amount(event.token_cost) ||
      !internal::is_amount(event.walltime_ms)) {
    return damaged(event, "its token cost or time is out of range.");
  }
  return {};
}

// Applies the columns that every event has.
void count(Session& session, const Event& event) {
  session.time_used += std::chrono::milliseconds(event.walltime_ms);
  session.tokens_used += event.token_cost;
  for (const auto& [node, ticks] : event.vector_clock) {
    std::uint64_t& own = session.vector_clock[node];
    own = std::max(own, ticks);
  }
  session.head = event.seq;
  session.last_event = event.id;
  session.last_time = event.ts;
  ++session.event_counts[event.type];
  const bool is_work = event.type != "session" && event.type != "checkpoint";
  if (is_work && session.state == SessionState::Init) {
    session.state = SessionState::Active;
  }
}

Result<BranchTrigger> trigger_named(std::string_view name) {
  for (const BranchTransition& transition : branch_transitions()) {
    if (branch_trigger_name(transition.trigger) == name) {
      return transition.trigger;
    }
  }
  return Error(ErrorCode::DataDamaged,
               fmt::format("unknown trigger {}.", in_quotes(name)));
}

Result<void> move(Branch& branch, const Json& moves) {
  for (const Json& name : moves) {
    if (!name.is_string()) {
      return Error(ErrorCode::DataDamaged, "a trigger must be a string.");
    }
    ASSIGN_OR_RETURN(const BranchTrigger trigger,
                     trigger_named(name.get_ref<const std::string&>()));
    ASSIGN_OR_RETURN(branch.state, after(branch.state, trigger, branch.id));
  }
  return {};
}

Result<void> apply_to_branch(Session& session, const Event& event,
                             const Json& details) {
  const auto id = details.find("branch");
  if (id == details.end() || !id->is_string()) return {};
  const auto found = session.branches.find(id->get_ref<const std::string&>());
  if (found == session.branches.end()) {
    return Error(ErrorCode::DataDamaged, "its branch does not exist.");
  }
  Branch& branch = found->second;
  branch.head = event.id;
  branch.changed = event.seq;
  branch.tokens += event.token_cost;
  if (const auto moves = details.find("moves"); moves != details.end()) {
    RETURN_IF_ERROR(move(branch, *moves));
  }
  ASSIGN_OR_RETURN(branch.outcome, json_field_or<std::string>(
                                       details, "outcome", branch.outcome));
  return {};
}

Result<void> add_alert(Session& session, const Event& event,
                       const Json& details) {
  const auto found = details.find("alert");
  if (found == details.end()) return {};
  Alert alert{.event = event.id};
  ASSIGN_OR_RETURN(alert.kind, json_field<std::string>(*found, "kind"));
  ASSIGN_OR_RETURN(alert.message, json_field<std::string>(*found, "message"));
  if (session.alerts.size() >= Session::kMaxAlerts) {
    session.alerts.erase(session.alerts.begin());
  }
  session.alerts.push_back(std::move(alert));
  return {};
}

Result<void> apply_kind(Session& session, const Event& event,
                        const EventKind& kind, const Json& details) {
  RETURN_IF_ERROR(kind.apply(session, event, details));
  RETURN_IF_ERROR(apply_to_branch(session, event, details));
  return add_alert(session, event, details);
}

}  // namespace

Result<void> apply_event(Session& session, const Event& event,
                         const Json& details) {
  RETURN_IF_ERROR(check_place(session, event, details));
  ASSIGN_OR_RETURN(const EventKind* kind, find_kind(event));
  count(session, event);
  const Result<void> applied = apply_kind(session, event, *kind, details);
  if (!applied) return damaged(event, applied.error().message());
  return {};
}

Result<void> apply(Session& session, const Event& event) {
  if (event.constraints.empty()) {
    return apply_event(session, event, Json::object());
  }
  const Result<Json> details = parse_json(event.constraints);
  if (!details) return damaged(event, details.error().message());
  return apply_event(session, event, *details);
}

}  // namespace lamarck::thought
