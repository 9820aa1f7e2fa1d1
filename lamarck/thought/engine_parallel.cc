#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/thought/internal/answers.h"
#include "lamarck/thought/internal/engine_state.h"
#include "lamarck/thought/internal/parallel_turn.h"
#include "lamarck/thought/internal/session_now.h"
#include "lamarck/thought/internal/session_views.h"

namespace lamarck::thought {
namespace {

using internal::ParallelState;
using internal::RequestDigest;
using internal::Turn;

RequestDigest make_request_digest(const ParallelRun& run) {
  RequestDigest digest("parallel");
  digest.add(run.session).add_all(run.branches);
  digest.add(internal::strategy_name(run.strategy)).add(run.plan_type);
  digest.add(run.max_rounds);
  return digest;
}

// The steps after begin_parallel are written under the engine's own node.
Caller engine_caller(const EngineOptions& options) {
  return {.node = options.node};
}

// The answer for a run whose session ended first.
Json cut_short(const Session& session, const ParallelState& run) {
  Json answer = {{"run", run.id},
                 {"strategy", internal::strategy_name(run.strategy)},
                 {"winner", ""},
                 {"reason", session_state_name(session.state)},
                 {"stopped", Json::array()}};
  for (const internal::ParallelArm& arm : run.arms) {
    answer["branches"].push_back(
        internal::branch_metrics(session.branches.at(arm.branch)));
  }
  return answer;
}

bool is_active(const Session& session, std::string_view run) {
  return session.parallel_runs.find(run) != session.parallel_runs.end();
}

// The id of the active run that blocks a branch; "" if the error is a different
// one. Journal errors also have a field `run`, but there it names the session.
std::string blocking_run(const Error& error, std::string_view session) {
  const auto found = error.fields().find("run");
  const bool is_busy = error.code() == ErrorCode::FailedPrecondition &&
                       found != error.fields().end() &&
                       found->second != session;
  return is_busy ? found->second : "";
}

}  // namespace

Result<std::string> ThoughtEngine::begin_parallel(const ParallelRun& run,
                                                  const Caller& caller) {
  const auto is_driven = [&](std::string_view id) {
    return state_->driven.contains(run.session, id);
  };
  const auto begin = [&] {
    return state_->transact(
        run.session, caller, make_request_digest(run),
        [&](Turn& turn) { return internal::begin_run(turn, run, is_driven); });
  };
  Answer text = begin();
  // A run that only decides needs no thinker. It ends runs that nobody drives
  // or awaits any more, one at a time, until it can begin.
  while (!text && run.max_rounds == 0) {
    const std::string other = blocking_run(text.error(), run.session);
    if (other.empty() || !state_->is_abandoned(run.session, other)) break;
    const Answer ended =
        state_->end_run(run.session, other, "abandoned", caller.node);
    if (!ended && ended.error().code() != ErrorCode::NotFound) break;
    text = begin();
  }
  if (!text) return text.error();
  ASSIGN_OR_RETURN(const Json answer, parse_json(*text));
  return json_field<std::string>(answer, "run");
}

Result<std::vector<ThinkRequest>> ThoughtEngine::wanted(
    std::string_view session, std::string_view run) {
  std::vector<ThinkRequest> requests;
  const auto decide = [&](Turn& turn) -> Result<Json> {
    requests.clear();
    if (is_final(turn.session().state)) return Json::object();
    if (!is_active(turn.session(), run)) return Json::object();
    RETURN_IF_ERROR(turn.check_open());
    ASSIGN_OR_RETURN(auto answer, internal::end_if_decided(turn, run));
    if (answer) return *std::move(answer);
    internal::PathReader paths(state_->journal, std::string(session));
    RETURN_IF_ERROR(internal::ask_more(turn, run, paths));
    ASSIGN_OR_RETURN(const ParallelState state,
                     internal::find_run(turn.session(), run));
    ASSIGN_OR_RETURN(requests, internal::asked(turn.session(), state, paths));
    return Json::object();
  };
  const Answer answer = state_->transact(
      session, engine_caller(state_->options), RequestDigest("wanted"), decide);
  // check_open() has just ended the session; parallel_answer() reports it.
  if (!answer && answer.error().code() == ErrorCode::Timeout) {
    return std::vector<ThinkRequest>();
  }
  if (!answer) return answer.error();
  return requests;
}

bool ThoughtEngine::is_wanted(std::string_view session, std::string_view run,
                              std::string_view request) {
  const auto open = state_->loaded(session);
  if (!open) return false;
  if (!(*open)->catch_up(state_->journal, state_->clock)) return false;
  const Session& now = *(*open)->session;
  const auto time_used = (*open)->time_used(state_->clock);
  const bool is_open = !is_final(now.state) &&
                       now.state != SessionState::Paused &&
                       !internal::timeout_note(now, time_used);
  Result<ParallelState> state = internal::find_run(now, run);
  if (!is_open || !state) return false;
  const internal::ParallelArm* arm = state->arm_of_request(request);
  return arm != nullptr && internal::is_awaited(now, *arm) &&
         !internal::early_choice(now, *state);
}

std::shared_ptr<const void> ThoughtEngine::await_parallel(
    std::string_view session, std::string_view run) {
  return std::make_shared<const internal::DrivenRuns::Mark>(
      state_->awaited, std::string(session), std::string(run));
}

Result<void> ThoughtEngine::accept(std::string_view session,
                                   std::string_view run,
                                   const std::vector<RequestReply>& replies) {
  // A repeated decision uses the same history.
  ASSIGN_OR_RETURN(const PlanHistory history, state_->healing.history());
  const auto decide = [&](Turn& turn) -> Result<Json> {
    const Session& now = turn.session();
    const bool is_open =
        !is_final(now.state) && now.state != SessionState::Paused;
    if (is_open) RETURN_IF_ERROR(turn.check_open());
    return internal::take_replies(turn, run, replies, history);
  };
  const Answer answer = state_->transact(
      session, engine_caller(state_->options), RequestDigest("accept"), decide);
  if (!answer && answer.error().code() == ErrorCode::Timeout) return {};
  if (!answer) return answer.error();
  return {};
}

Result<void> ThoughtEngine::accept(std::string_view session,
                                   std::string_view run,
                                   std::string_view request,
                                   Result<ThoughtReply> reply) {
  return accept(session, run,
                {{.request = std::string(request), .reply = std::move(reply)}});
}

Result<std::optional<std::string>> ThoughtEngine::parallel_answer(
    std::string_view session, std::string_view run) {
  const auto stored = [&] {
    return state_->answered(internal::run_key(session, run), std::string(run));
  };
  ASSIGN_OR_RETURN(std::optional<std::string> known, stored());
  if (known) return known;
  bool is_over = false;
  const auto decide = [&](Turn& turn) -> Result<Json> {
    is_over = false;
    const Session& now = turn.session();
    ASSIGN_OR_RETURN(const ParallelState state, internal::find_run(now, run));
    if (is_final(now.state)) {
      is_over = true;
      return cut_short(now, state);
    }
    if (now.state == SessionState::Paused) return Json::object();
    RETURN_IF_ERROR(turn.check_open());
    ASSIGN_OR_RETURN(auto answer, internal::end_if_decided(turn, run));
    is_over = answer.has_value();
    return answer ? *std::move(answer) : Json::object();
  };
  Answer answer = state_->transact(session, engine_caller(state_->options),
                                   RequestDigest("answer"), decide);
  // The run ended in the meantime: by another caller, or by the clock.
  if (!answer && answer.error().code() == ErrorCode::NotFound) {
    ASSIGN_OR_RETURN(known, stored());
    if (known) return known;
  }
  if (!answer && answer.error().code() == ErrorCode::Timeout) {
    answer = state_->transact(session, engine_caller(state_->options),
                              RequestDigest("answer"), decide);
  }
  if (!answer) return answer.error();
  if (!is_over) return std::optional<std::string>();
  return std::optional<std::string>(*std::move(answer));
}

}  // namespace lamarck::thought
