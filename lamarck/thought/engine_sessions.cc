#include <array>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/store/redaction.h"
#include "lamarck/thought/internal/answers.h"
#include "lamarck/thought/internal/engine_state.h"
#include "lamarck/thought/internal/session_views.h"

namespace lamarck::thought {
namespace {

using internal::RequestDigest;
using internal::Turn;

Result<void> check_amount(std::int64_t value, std::int64_t min,
                          std::int64_t max, std::string_view what) {
  if (value >= min && value <= max) return {};
  return Error(
      ErrorCode::InvalidArgument,
      fmt::format("The budget of {} must be between {} and {}, got {}.", what,
                  min, max, value));
}

Result<void> check_start(const SessionStart& start) {
  RETURN_IF_ERROR(check_text(start.goal, "The goal"));
  if (start.success_criteria.size() > kMaxCriteria) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("There must be at most {} success criteria, got "
                             "{}; keep the decisive ones.",
                             kMaxCriteria, start.success_criteria.size()));
  }
  for (const std::string& criterion : start.success_criteria) {
    RETURN_IF_ERROR(check_text(criterion, "A success criterion"));
  }
  RETURN_IF_ERROR(
      check_amount(start.budgets.tokens, 1, kMaxTokenBudget, "tokens"));
  RETURN_IF_ERROR(check_amount(start.budgets.wall_time.count(), 1,
                               kMaxWallTime.count(), "wall time (ms)"));
  return check_amount(start.budgets.branches, 0, kMaxBranches, "branches");
}

Json start_details(const SessionStart& start) {
  return {{"state", session_state_name(SessionState::Init)},
          {"success_criteria", start.success_criteria},
          {"budgets",
           {{"tokens", start.budgets.tokens},
            {"wall_time_ms", start.budgets.wall_time.count()},
            {"branches", start.budgets.branches}}}};
}

// Like check_follows. For a session without a thought the message names the
// tools to use, since its legal next states are of no help to a client.
Result<void> check_may_become(const Session& session, SessionState next) {
  Result<void> follows = check_follows(session.state, next, session.id);
  if (follows || session.state != SessionState::Init) return follows;
  return Error(
      ErrorCode::FailedPrecondition,
      fmt::format(
          "Session {} is init because it has no thoughts yet, and cannot "
          "become {}; add a thought with think_plan_step first, or end the "
          "session with think_session_control and the action fail.",
          session.id, session_state_name(next)),
      follows.error().fields());
}

Result<Json> change_state(Turn& turn, SessionState next,
                          std::string_view note) {
  const Session& session = turn.session();
  RETURN_IF_ERROR(check_may_become(session, next));
  turn.add({.type = "session",
            .role = "decider",
            .content = std::string(note),
            .parents = {{.from = session.last_event}}},
           {{"state", session_state_name(next)}});
  return Json::object();
}

Result<Json> pause(Turn& turn, std::string_view note) {
  RETURN_IF_ERROR(turn.check_open());
  return change_state(turn, SessionState::Paused, note);
}

Result<Json> resume(Turn& turn, std::string_view note) {
  const Session& session = turn.session();
  if (session.state == SessionState::Paused) {
    return change_state(turn, session.before_pause, note);
  }
  return Error(
      ErrorCode::FailedPrecondition,
      fmt::format("Session {} is {}; only a paused session can be resumed.",
                  session.id, session_state_name(session.state)),
      {{"state", std::string(session_state_name(session.state))}});
}

// Completing the session counts as the review of all evidence received so far.
void complete_reviewed(Turn& turn) {
  std::vector<std::string> reviewed;
  for (const auto& [id, branch] : turn.session().branches) {
    if (branch.state == BranchState::EvidenceReceived) reviewed.push_back(id);
  }
  for (const std::string& id : reviewed) {
    const std::string outcome = turn.session().branches.at(id).last_evidence;
    turn.add({.type = "branch",
              .branch = id,
              .role = "decider",
              .content = fmt::format("{} is complete: {}", id, outcome),
              .moves = {BranchTrigger::UserInput},
              .is_by_engine = true},
             {{"outcome", outcome}});
  }
}

// A session may be completed although a criterion failed, which is said then.
std::string unmet_criteria(const Session& session) {
  std::string names;
  for (std::size_t i = 0; i < session.success_criteria.size(); ++i) {
    if (session.criteria[i].state != "failed") continue;
    if (!names.empty()) names += ", ";
    names += in_quotes(session.success_criteria[i]);
  }
  if (names.empty()) return "";
  return "The evidence says that these criteria are not met: " + names +
         "; if the goal was not reached, end the session with `fail`.";
}

Result<Json> finish(Turn& turn, SessionState end, std::string_view note) {
  const Session& session = turn.session();
  if (is_final(session.state)) return internal::closed_error(session);
  RETURN_IF_ERROR(check_may_become(session, end));
  const bool was_open = session.state != SessionState::Paused;
  if (end == SessionState::Completed && was_open) {
    RETURN_IF_ERROR(turn.check_open());
  }
  if (end == SessionState::Completed) complete_reviewed(turn);
  const std::string warning =
      end == SessionState::Completed ? unmet_criteria(session) : "";
  turn.end_session(end, std::string(note), false);
  Json answer = {{"metrics", internal::session_metrics(session)}};
  if (!warning.empty()) answer["warning"] = warning;
  return answer;
}

// An ended session accepts no further events, but its state is still saved.
Result<Json> mark_checkpoint(Turn& turn, std::string_view note) {
  if (is_final(turn.session().state)) return Json::object();
  turn.add({.type = "checkpoint",
            .role = "decider",
            .content = std::string(note),
            .parents = {{.from = turn.session().last_event}}},
           Json::object());
  return Json::object();
}

// Redacts the status. The vector clock stays unchanged because clients send it
// back.
Json shown_status(Json answer, const Turn& turn) {
  answer =
      store::redacted_json(internal::complete_answer(std::move(answer), turn));
  answer["vector_clock"] = internal::clock_json(turn.session().vector_clock);
  return answer;
}

Result<Json> decide_extension(Turn& turn, std::chrono::milliseconds more,
                              std::string_view note) {
  const Session& session = turn.session();
  if (is_final(session.state)) return internal::closed_error(session);
  if (more.count() < 1 || session.budgets.wall_time + more > kMaxWallTime) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("The additional time must be between 1 and {} ms, got {}.",
                    (kMaxWallTime - session.budgets.wall_time).count(),
                    more.count()));
  }
  turn.add({.type = "session",
            .role = "decider",
            .content = std::string(note),
            .parents = {{.from = session.last_event}}},
           {{"state", session_state_name(session.state)},
            {"more_time_ms", more.count()}});
  return Json{{"time_budget_ms", session.budgets.wall_time.count()}};
}

constexpr std::array<std::string_view, 7> kActions = {
    "status", "pause", "resume", "checkpoint", "restore", "complete", "fail"};

}  // namespace

ThoughtEngine::Answer ThoughtEngine::start_session(const SessionStart& start,
                                                   const Caller& caller) {
  State& state = *state_;
  RETURN_IF_ERROR(check_caller(caller));
  RETURN_IF_ERROR(check_start(start));
  const auto key = internal::caller_key("start", caller.idempotency_key);
  const std::string digest = RequestDigest("start")
                                 .add(start.goal)
                                 .add_all(start.success_criteria)
                                 .add(dump_json(start_details(start)))
                                 .hex();
  ASSIGN_OR_RETURN(auto known, state.answered(key, digest));
  if (known) return *std::move(known);
  Session session{.id = "sess_" + state.ids.next()};
  const internal::TurnSetup setup{.ids = state.ids,
                                  .clock = state.clock,
                                  .engine_node = state.options.node,
                                  .caller_node = caller.node};
  Turn turn(session, setup);
  turn.add({.type = "session", .role = "decider", .content = start.goal},
           start_details(start));
  std::string text = dump_json(internal::complete_answer(
      {{"branch", "main"}, {"goal", start.goal}}, turn));
  store::Append append{.run = session.id, .expected_head = 0};
  append.new_run =
      store::Run{.id = session.id,
                 .kind = "thought",
                 .title = one_line(store::redacted(start.goal), 100),
                 .state = std::string(session_state_name(session.state)),
                 .created = state.clock.wall_time()};
  append.events = turn.take_events();
  append.answer = {.key = key.stored, .digest = digest, .text = text};
  Result<store::Appended> appended = state.journal.append(std::move(append));
  if (!appended) return internal::in_callers_words(appended.error(), key);
  return appended->is_repeat ? std::move(appended->answer) : std::move(text);
}

ThoughtEngine::Answer ThoughtEngine::control(std::string_view session,
                                             SessionAction action,
                                             std::string_view note,
                                             const Caller& caller) {
  State& state = *state_;
  RETURN_IF_ERROR(check_text(note, "The note", true));
  if (action == SessionAction::Restore) {
    ASSIGN_OR_RETURN(auto open, state.loaded(session));
    ASSIGN_OR_RETURN(const internal::Restored restored,
                     internal::restore_session(state.journal, session));
    // look() restores the session again and takes the lock itself.
    open->session.reset();
    open.unlock();
    return state.look(session, [&](Turn& turn) -> Result<Json> {
      Json answer = internal::session_status(turn.session());
      answer["restored"] = {{"checkpoint", restored.checkpoint_seq},
                            {"replayed", restored.replayed}};
      return shown_status(std::move(answer), turn);
    });
  }
  if (action == SessionAction::Status) {
    return state.look(session, [](Turn& turn) -> Result<Json> {
      return shown_status(internal::session_status(turn.session()), turn);
    });
  }
  const auto name = kActions.at(static_cast<std::size_t>(action));
  RequestDigest digest("control");
  digest.add(session).add(name).add(note);
  const auto decide = [&](Turn& turn) -> Result<Json> {
    switch (action) {
      case SessionAction::Pause:
        return pause(turn, note);
      case SessionAction::Resume:
        return resume(turn, note);
      case SessionAction::Checkpoint:
        return mark_checkpoint(turn, note);
      case SessionAction::Complete:
        return finish(turn, SessionState::Completed, note);
      default:
        return finish(turn, SessionState::Failed, note);
    }
  };
  Answer answer = state.transact(session, caller, digest, decide);
  if (answer && action == SessionAction::Checkpoint) {
    ASSIGN_OR_RETURN(const auto open, state.loaded(session));
    state.save_checkpoint(*open);
  }
  return answer;
}

ThoughtEngine::Answer ThoughtEngine::mark_pruned(std::string_view session,
                                                 const std::string& file) {
  const auto decide = [&](Turn& turn) -> Result<Json> {
    const Session& now = turn.session();
    Json details = {{"pruned_to", file}};
    if (is_final(now.state)) details["late"] = true;
    turn.add({.type = "checkpoint",
              .role = "decider",
              .content = "The events so far are moved to " + file,
              .parents = {{.from = now.last_event}}},
             std::move(details));
    return Json::object();
  };
  Answer answer = state_->transact(session, {.node = state_->options.node},
                                   RequestDigest("prune"), decide);
  if (!answer) return answer;
  ASSIGN_OR_RETURN(const auto open, state_->loaded(session));
  state_->save_checkpoint(*open);
  return answer;
}

ThoughtEngine::Answer ThoughtEngine::extend_time(std::string_view session,
                                                 std::chrono::milliseconds more,
                                                 std::string_view note,
                                                 const Caller& caller) {
  RETURN_IF_ERROR(check_text(note, "The note", true));
  RequestDigest digest("extend");
  digest.add(session).add(std::int64_t{more.count()}).add(note);
  return state_->transact(session, caller, digest, [&](Turn& turn) {
    return decide_extension(turn, more, note);
  });
}

}  // namespace lamarck::thought
