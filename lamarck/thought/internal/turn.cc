#include "lamarck/thought/internal/turn.h"

#include <algorithm>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/unicode.h"
#include "lamarck/store/redaction.h"
#include "lamarck/store/vector_clock.h"
#include "lamarck/thought/event_kinds.h"
#include "lamarck/thought/internal/parallel_turn.h"
#include "lamarck/thought/internal/session_now.h"

namespace lamarck::thought::internal {
namespace {

Json names_of(const Moves& moves) {
  Json names = Json::array();
  for (const BranchTrigger move : moves) {
    names.push_back(branch_trigger_name(move));
  }
  return names;
}

ErrorCode code_of_end(SessionState state) {
  if (state == SessionState::BudgetExceeded) return ErrorCode::BudgetExceeded;
  if (state == SessionState::Timeout) return ErrorCode::Timeout;
  return ErrorCode::FailedPrecondition;
}

}  // namespace

Error closed_error(const Session& session) {
  const std::string state(session_state_name(session.state));
  const std::string remedy = session.state == SessionState::Paused
                                 ? "resume it first"
                                 : "start a new session";
  return {code_of_end(session.state),
          fmt::format("Session {} is {}; {}.", session.id, state, remedy),
          {{"session", session.id}, {"state", state}}};
}

Turn::Turn(Session& session, const TurnSetup& setup)
    : session_(session), setup_(setup) {}

Result<const Branch*> Turn::branch(std::string_view id_or_name) const {
  const auto found = session_.branches.find(id_or_name);
  if (found != session_.branches.end()) return &found->second;
  std::vector<std::string> known;
  for (const auto& [id, branch] : session_.branches) {
    if (branch.name == id_or_name) return &branch;
    known.push_back(
        id == branch.name
            ? id
            : fmt::format("{} ({})", id, store::redacted(branch.name)));
  }
  return Error(
      ErrorCode::NotFound,
      fmt::format("Session {} has no branch {}; it has {}.", session_.id,
                  in_quotes(id_or_name), join_text(known, ", ")),
      {{"session", session_.id}, {"branch", std::string(id_or_name)}});
}

store::Event Turn::made(Draft draft, std::string constraints) {
  store::Event event{.id = "evt_" + setup_.ids.next(),
                     .type = std::string(draft.type),
                     .parents = std::move(draft.parents),
                     .role = std::move(draft.role),
                     .content = std::move(draft.content),
                     .constraints = std::move(constraints),
                     .score = std::move(draft.score),
                     .status = std::move(draft.status),
                     .early_stop_reason = std::move(draft.early_stop_reason),
                     .failure_signature = std::move(draft.failure_signature),
                     .retry_count = draft.retry_count,
                     .token_cost = draft.token_cost,
                     .ts = setup_.clock.wall_time(),
                     .run = session_.id,
                     .seq = session_.head + 1};
  event.vector_clock =
      draft.seen ? std::move(*draft.seen) : session_.vector_clock;
  store::increment(event.vector_clock, draft.is_by_engine ? setup_.engine_node
                                                          : setup_.caller_node);
  // The time since the last event. Only the first event of a turn has any,
  // since applying it updates session_.time_used.
  event.walltime_ms = std::max<std::int64_t>(
      0, (setup_.time_used - session_.time_used).count());
  return event;
}

std::string Turn::add(Draft draft, Json details) {
  if (!draft.branch.empty()) {
    const auto found = session_.branches.find(draft.branch);
    if (draft.parents.empty() && found != session_.branches.end()) {
      draft.parents.push_back({.from = found->second.head});
    }
    details["branch"] = draft.branch;
  }
  if (!draft.moves.empty()) details["moves"] = names_of(draft.moves);
  draft.content = truncate_characters(draft.content, kMaxContent);
  store::Event event =
      made(std::move(draft), details.empty() ? "" : dump_json(details));
  // Applied before it is stored: if the append fails, the session is dropped.
  const Result<void> applied = apply_event(session_, event, details);
  ENSURE(applied.has_value(), applied.error().message());
  events_.push_back(std::move(event));
  return events_.back().id;
}

Result<void> Turn::check_open() {
  if (is_final(session_.state) || session_.state == SessionState::Paused) {
    return closed_error(session_);
  }
  const auto note = timeout_note(session_, setup_.time_used);
  if (!note) return {};
  end_session(SessionState::Timeout, *note, true);
  is_ended_ = true;
  return closed_error(session_);
}

std::int64_t Turn::tokens_left() const {
  return session_.budgets.tokens - session_.tokens_used -
         session_.tokens_reserved;
}

Result<void> Turn::check_tokens(std::int64_t tokens) {
  if (tokens <= tokens_left()) return {};
  const std::int64_t left = tokens_left();
  runs_to_end_ = abandoned_runs();
  if (!runs_to_end_.empty()) {
    return Error(ErrorCode::Unavailable,
                 "Tokens are reserved for an abandoned parallel run.");
  }
  end_session(SessionState::BudgetExceeded,
              fmt::format("{} tokens were needed, but only {} of {} were left.",
                          tokens, left, session_.budgets.tokens),
              true);
  is_ended_ = true;
  return Error(
      ErrorCode::BudgetExceeded,
      fmt::format("This call needs {} tokens, but only {} of {} are left, so "
                  "session {} has ended; start a new session.",
                  tokens, left, session_.budgets.tokens, session_.id),
      {{"session", session_.id}, {"state", "budget_exceeded"}});
}

std::vector<std::string> Turn::abandoned_runs() const {
  std::vector<std::string> list;
  if (!setup_.is_abandoned || session_.tokens_reserved == 0) return list;
  for (const auto& [id, text] : session_.parallel_runs) {
    if (setup_.is_abandoned(id)) list.push_back(id);
  }
  return list;
}

bool Turn::stop(const std::string& branch, BranchTrigger trigger,
                const std::string& reason) {
  const Branch& own = session_.branches.at(branch);
  const auto moves = moves_to_stop(own.state, trigger);
  if (!moves) return false;
  add({.type = "branch",
       .branch = branch,
       .role = "decider",
       .content = fmt::format("{} stops: {}", own.name, reason),
       .moves = *moves,
       .is_by_engine = true,
       .status = "early_stopped",
       .early_stop_reason = reason},
      {{"outcome", reason}});
  return true;
}

void Turn::end_session(SessionState state, const std::string& note,
                       bool is_by_engine) {
  const std::string name(session_state_name(state));
  const auto runs = session_.parallel_runs;  // Dropping changes the session.
  for (const auto& [id, text] : runs) {
    if (const auto run = parallel_from_text(text)) drop_requests(*this, *run);
  }
  std::vector<std::string> open;
  for (const auto& [id, branch] : session_.branches) open.push_back(id);
  for (const std::string& id : open) {
    stop(id, BranchTrigger::BudgetExceeded,
         state == SessionState::Completed ? "session_completed"
         : state == SessionState::Failed  ? "session_failed"
                                          : name);
  }
  Json details = {{"state", name}};
  if (code_of_end(state) != ErrorCode::FailedPrecondition) {
    details["alert"] = {{"kind", "budget"}, {"message", note}};
  }
  add({.type = "session",
       .role = "decider",
       .content = note,
       .parents = {{.from = session_.last_event}},
       .is_by_engine = is_by_engine},
      std::move(details));
}

void Turn::warn() {
  const auto message = budget_warning(session_, session_.time_used);
  if (!message) return;
  add({.type = "session",
       .role = "decider",
       .content = *message,
       .parents = {{.from = session_.last_event}},
       .is_by_engine = true},
      {{"state", session_state_name(SessionState::Warning)},
       {"alert", {{"kind", "budget"}, {"message", *message}}}});
}

}  // namespace lamarck::thought::internal
