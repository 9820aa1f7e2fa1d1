#include "lamarck/thought/internal/parallel_fold.h"

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/thought/internal/amount.h"
#include "lamarck/thought/internal/parallel_state.h"

namespace lamarck::thought::internal {
namespace {

// Valid rewards are between 0 and 1. This bound only keeps sums of damaged
// values finite.
constexpr double kMaxReward = 1e6;
constexpr std::size_t kMaxLateRequests = 500;

Error damaged(std::string_view what, std::string_view name) {
  return {ErrorCode::DataDamaged,
          fmt::format(
              "An event of a parallel run names {} {}, which does not exist.",
              what, in_quotes(name))};
}

Result<ParallelState> find_state(const Session& session, const Json& details) {
  ASSIGN_OR_RETURN(const std::string run,
                   json_field<std::string>(details, "run"));
  const auto found = session.parallel_runs.find(run);
  if (found == session.parallel_runs.end()) return damaged("the run", run);
  return parallel_from_text(found->second);
}

void save(Session& session, const ParallelState& state) {
  session.parallel_runs[state.id] = to_text(state);
}

Result<void> begin(Session& session, const Json& details) {
  ASSIGN_OR_RETURN(const ParallelState state, begun_parallel(details));
  if (session.parallel_runs.contains(state.id)) {
    return Error(ErrorCode::DataDamaged,
                 fmt::format("The parallel run {} has already begun.",
                             in_quotes(state.id)));
  }
  for (const ParallelArm& arm : state.arms) {
    if (!session.branches.contains(arm.branch)) {
      return damaged("the branch", arm.branch);
    }
  }
  save(session, state);
  return {};
}

Result<void> ask_one(ParallelState& state, const Session& session,
                     const Json& request) {
  ASSIGN_OR_RETURN(const std::string branch,
                   json_field<std::string>(request, "branch"));
  const std::size_t index = state.index_of(branch);
  if (index == state.arms.size()) return damaged("the branch", branch);
  ParallelArm& arm = state.arms[index];
  ASSIGN_OR_RETURN(arm.request, json_field<std::string>(request, "id"));
  ASSIGN_OR_RETURN(arm.reserved,
                   amount_field(request, "reserved", kMaxPerEvent));
  ASSIGN_OR_RETURN(arm.max_tokens,
                   json_field<std::int64_t>(request, "max_tokens"));
  ASSIGN_OR_RETURN(arm.memory,
                   json_field_or<std::int64_t>(request, "memory", 0));
  arm.asked_ms = session.time_used.count();
  ++arm.rounds;
  return {};
}

Result<void> ask(Session& session, const Json& details) {
  ASSIGN_OR_RETURN(ParallelState state, find_state(session, details));
  const std::int64_t before = state.reserved();
  ASSIGN_OR_RETURN(const Json requests, json_field<Json>(details, "requests"));
  for (const Json& request : requests) {
    RETURN_IF_ERROR(ask_one(state, session, request));
  }
  session.tokens_reserved += state.reserved() - before;
  save(session, state);
  return {};
}

Result<void> learn(Session& session, const Json& details) {
  ASSIGN_OR_RETURN(ParallelState state, find_state(session, details));
  ASSIGN_OR_RETURN(const std::string branch,
                   json_field<std::string>(details, "of"));
  ASSIGN_OR_RETURN(const double reward, json_field<double>(details, "reward"));
  const std::size_t index = state.index_of(branch);
  if (index == state.arms.size() || !state.bandit) {
    return damaged("the branch", branch);
  }
  if (std::abs(reward) > kMaxReward) {
    return Error(
        ErrorCode::DataDamaged,
        fmt::format("A reward must be between 0 and 1, got {}.", reward));
  }
  state.bandit->update(index, reward);
  save(session, state);
  return {};
}

// Clears the request of an arm and releases its tokens.
void release(Session& session, ParallelArm& arm) {
  session.tokens_reserved -= arm.reserved;
  arm.request.clear();
  arm.reserved = 0;
}

Result<void> drop(Session& session, const store::Event& event,
                  const Json& details) {
  ASSIGN_OR_RETURN(ParallelState state, find_state(session, details));
  ASSIGN_OR_RETURN(const std::string request,
                   json_field<std::string>(details, "request"));
  ParallelArm* arm = state.arm_of_request(request);
  if (arm == nullptr) return damaged("the request", request);
  release(session, *arm);
  save(session, state);
  if (session.late_requests.size() >= kMaxLateRequests) {
    session.late_requests.erase(session.late_requests.begin());
  }
  session.late_requests[late_request_name(state.id, request)] =
      event.token_cost;
  return {};
}

Result<void> late(Session& session, const Json& details) {
  ASSIGN_OR_RETURN(const std::string run,
                   json_field<std::string>(details, "run"));
  ASSIGN_OR_RETURN(const std::string request,
                   json_field<std::string>(details, "request"));
  session.late_requests.erase(late_request_name(run, request));
  return {};
}

Result<void> end(Session& session, const Json& details) {
  ASSIGN_OR_RETURN(const ParallelState state, find_state(session, details));
  ASSIGN_OR_RETURN(const std::string winner,
                   json_field<std::string>(details, "winner"));
  session.tokens_reserved -= state.reserved();
  session.parallel_runs.erase(state.id);
  if (winner.empty()) return {};
  if (!session.branches.contains(winner)) return damaged("the branch", winner);
  session.winner = winner;
  return {};
}

Error wrong_reservations(const Session& session, std::int64_t by_runs) {
  return {
      ErrorCode::DataDamaged,
      fmt::format(
          "The session has {} reserved tokens, but its parallel runs have {}.",
          session.tokens_reserved, by_runs)};
}

}  // namespace

std::string late_request_name(std::string_view run, std::string_view request) {
  return fmt::format("{} {}", run, request);
}

Result<void> apply_parallel(Session& session, const store::Event& event,
                            const Json& details) {
  ASSIGN_OR_RETURN(const std::string action,
                   json_field<std::string>(details, "action"));
  if (action == "begin") return begin(session, details);
  if (action == "ask") return ask(session, details);
  if (action == "learn") return learn(session, details);
  if (action == "drop") return drop(session, event, details);
  if (action == "late") return late(session, details);
  if (action == "end") return end(session, details);
  return damaged("the action", action);
}

Result<void> settle_request(Session& session, Branch& branch,
                            const Json& details) {
  ASSIGN_OR_RETURN(ParallelState state, find_state(session, details));
  ASSIGN_OR_RETURN(const std::string request,
                   json_field<std::string>(details, "request"));
  ParallelArm* arm = state.arm_of_request(request);
  if (arm == nullptr) return damaged("the request", request);
  // Earlier versions did not record the latency of a reply.
  std::int64_t latency = session.time_used.count() - arm->asked_ms;
  if (details.contains("latency_ms")) {
    ASSIGN_OR_RETURN(latency,
                     amount_field(details, "latency_ms", kMaxPerEvent));
  }
  branch.thinking_time += std::chrono::milliseconds(latency);
  ++branch.thoughts;
  if (details.contains("failed")) ++arm->failures;
  release(session, *arm);
  save(session, state);
  return {};
}

Result<void> check_reservations(const Session& session) {
  std::int64_t reserved = 0;
  for (const auto& [id, text] : session.parallel_runs) {
    ASSIGN_OR_RETURN(const ParallelState state, parallel_from_text(text));
    reserved += state.reserved();
  }
  if (is_final(session.state) || session.tokens_reserved == reserved) return {};
  return wrong_reservations(session, reserved);
}

}  // namespace lamarck::thought::internal
