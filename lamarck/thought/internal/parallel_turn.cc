#include "lamarck/thought/internal/parallel_turn.h"

#include <algorithm>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/thought/internal/advice.h"
#include "lamarck/thought/internal/plan_turn.h"
#include "lamarck/thought/internal/request_key.h"
#include "lamarck/thought/internal/session_views.h"
#include "lamarck/thought/internal/think_prompt.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::int64_t kBanditTokens = 200;
constexpr std::int64_t kThoughtTokens = 800;
constexpr std::int64_t kMinTokens = 50;
constexpr std::int64_t kShortMemory = 200;
constexpr std::int64_t kMaxMemory = 4000;
constexpr std::size_t kMaxArms = 50;

Result<void> check_idle(const Session& session, const std::string& branch) {
  for (const auto& [id, text] : session.parallel_runs) {
    ASSIGN_OR_RETURN(const ParallelState run, parallel_from_text(text));
    if (run.index_of(branch) == run.arms.size()) continue;
    return Error(
        ErrorCode::FailedPrecondition,
        fmt::format(
            "Branch {} is in the active parallel run {} ({} of {} branches); "
            "wait for its answer, or call think_parallel_run with the "
            "arguments of that run to resume it.",
            branch, id, strategy_name(run.strategy), run.arms.size()),
        {{"run", id}});
  }
  return {};
}

// All open branches; main only if there is no other.
std::vector<std::string> open_branches(const Session& session) {
  std::vector<std::string> ids;
  for (const Branch* branch : branches_of(session)) {
    if (branch->id != "main" && is_contender(branch->state)) {
      ids.push_back(branch->id);
    }
  }
  const bool is_main_alone =
      ids.empty() && is_contender(session.branches.at("main").state);
  if (is_main_alone) ids.emplace_back("main");
  return ids;
}

Result<std::vector<std::string>> named_branches(const Turn& turn,
                                                const ParallelRun& run) {
  std::vector<std::string> ids;
  for (const std::string& name : run.branches) {
    ASSIGN_OR_RETURN(const Branch* branch, turn.branch(name));
    if (!is_contender(branch->state)) {
      return Error(ErrorCode::FailedPrecondition,
                   fmt::format("Branch {} is {} and cannot take part; remove "
                               "it from `branches`.",
                               branch->id, branch_state_name(branch->state)));
    }
    if (std::ranges::find(ids, branch->id) == ids.end()) {
      ids.push_back(branch->id);
    }
  }
  return ids;
}

Result<std::vector<std::string>> branches_for(const Turn& turn,
                                              const ParallelRun& run) {
  std::vector<std::string> ids = open_branches(turn.session());
  if (!run.branches.empty()) {
    ASSIGN_OR_RETURN(ids, named_branches(turn, run));
  }
  if (ids.empty() || ids.size() > kMaxArms) {
    return Error(
        ErrorCode::FailedPrecondition,
        fmt::format(
            "A parallel run needs between 1 and {} open branches, got {}; fork "
            "some with think_branch, or list fewer in `branches`.",
            kMaxArms, ids.size()));
  }
  return ids;
}

bool has_same_arguments(const ParallelState& begun, const ParallelRun& run,
                        const std::vector<std::string>& branches) {
  return begun.strategy == run.strategy && begun.plan_type == run.plan_type &&
         begun.max_rounds == run.max_rounds &&
         std::ranges::equal(begun.arms, branches, {}, &ParallelArm::branch);
}

// The id of the run to resume; nullopt if there is none.
Result<std::optional<std::string>> abandoned_run(
    const Session& session, const ParallelRun& run,
    const std::vector<std::string>& branches, const IsDriven& is_driven) {
  for (const auto& [id, text] : session.parallel_runs) {
    ASSIGN_OR_RETURN(const ParallelState begun, parallel_from_text(text));
    if (has_same_arguments(begun, run, branches) && !is_driven(id)) {
      return std::optional<std::string>(id);
    }
  }
  return std::optional<std::string>();
}

std::int64_t prompt_tokens(const ThinkRequest& request) {
  return estimate_tokens(request.system) + estimate_tokens(request.prompt);
}

// The tokens that the path may take in the prompt. A request should not use
// more than its part of what the branch has for its remaining rounds; a short
// memory is worth more than that.
std::int64_t memory_tokens(const ParallelState& run, const ParallelArm& arm,
                           std::int64_t available, std::int64_t without) {
  const std::int64_t rounds =
      std::max<std::int64_t>(1, run.max_rounds - arm.rounds);
  const std::int64_t part = available / rounds - without;
  const std::int64_t most = available - without;
  return std::clamp<std::int64_t>(std::max(part, std::min(most, kShortMemory)),
                                  0, kMaxMemory);
}

// nullopt if too few tokens are left for a useful reply. Without `paths` only
// says whether a request is possible.
Result<std::optional<Json>> request_for(
    const Session& session, const PlanType& type, const ParallelState& run,
    const ParallelArm& arm, std::int64_t available, PathReader* paths) {
  const Branch& branch = session.branches.at(arm.branch);
  const std::int64_t wanted =
      run.strategy == Strategy::Bandit ? kBanditTokens : kThoughtTokens;
  std::int64_t prompt =
      prompt_tokens(think_request(session, branch, type, {}, 0));
  if (available - prompt < kMinTokens) return std::optional<Json>();
  if (paths == nullptr) return std::optional<Json>(Json::object());
  std::vector<PathStep> path;
  ASSIGN_OR_RETURN(path, paths->path(branch.head));
  const std::int64_t memory = memory_tokens(
      run, arm, available, prompt + std::min(wanted, available - prompt));
  prompt = std::max(prompt, prompt_tokens(think_request(session, branch, type,
                                                        path, memory)));
  const std::int64_t max = std::min(wanted, available - prompt);
  if (max < kMinTokens) return std::optional<Json>();
  return std::optional<Json>(
      Json{{"id", fmt::format("{}#{}", arm.branch, arm.rounds + 1)},
           {"branch", arm.branch},
           {"max_tokens", max},
           {"memory", memory},
           {"reserved", prompt + max}});
}

Result<Json> requests_for(const Turn& turn, const ParallelState& run,
                          PathReader* paths) {
  const Session& session = turn.session();
  Json list = Json::array();
  const auto arms = arms_to_ask(session, run, turn.time_used());
  if (arms.empty()) return list;
  ASSIGN_OR_RETURN(const PlanType type,
                   find_plan_type(session, run.plan_type, ""));
  // Every arm gets the same share, so one prompt cannot starve the others.
  const std::int64_t each =
      turn.tokens_left() / static_cast<std::int64_t>(arms.size());
  for (const std::size_t index : arms) {
    ASSIGN_OR_RETURN(auto request, request_for(session, type, run,
                                               run.arms[index], each, paths));
    if (request) list.push_back(*std::move(request));
  }
  return list;
}

std::string hint_without_winner(const Session& session,
                                const ParallelState& run) {
  const bool has_plans =
      std::ranges::any_of(run.arms, [&](const ParallelArm& arm) {
        return !session.branches.at(arm.branch).plan_type.empty();
      });
  if (has_plans) {
    return "No branch won: revise the plans as suggested and submit them with "
           "think_validate_plan.";
  }
  return "No branch has a plan yet: think on each with think_plan_step, submit "
         "its plan with think_validate_plan, then call think_parallel_run "
         "again.";
}

std::string hint(const Session& session, const ParallelState& run,
                 const ParallelChoice& choice) {
  if (choice.winner.empty()) return hint_without_winner(session, run);
  const Branch& winner = session.branches.at(choice.winner);
  if (winner.state != BranchState::Validated) {
    return fmt::format("Submit the plan of {} with think_validate_plan.",
                       winner.id);
  }
  return fmt::format("Export the plan of {} with {}.", winner.id,
                     export_tool(winner.plan_type));
}

Json stop_losers(Turn& turn, const ParallelState& run,
                 const ParallelChoice& choice) {
  Json stopped = Json::array();
  const Session& session = turn.session();
  const bool is_won =
      !choice.winner.empty() &&
      session.branches.at(choice.winner).state == BranchState::Validated;
  if (!is_won) return stopped;
  for (const ParallelArm& arm : run.arms) {
    if (arm.branch == choice.winner) continue;
    if (turn.stop(arm.branch, BranchTrigger::RaceLost, "race_lost")) {
      stopped.push_back(arm.branch);
    }
  }
  return stopped;
}

Json end_run(Turn& turn, const ParallelState& run,
             const ParallelChoice& choice) {
  const Session& session = turn.session();
  drop_requests(turn, run);
  Json stopped = stop_losers(turn, run, choice);
  const std::string strategy(strategy_name(run.strategy));
  Json details = {{"run", run.id},
                  {"action", "end"},
                  {"winner", choice.winner},
                  {"reason", choice.reason}};
  if (!choice.winner.empty()) details["outcome"] = strategy + "_winner";
  if (!choice.votes.empty()) details["votes"] = choice.votes;
  Draft draft{.type = "parallel",
              .branch = choice.winner,
              .role = "decider",
              .content = choice.winner.empty()
                             ? fmt::format("{} ends: {}", run.id, choice.reason)
                             : fmt::format("{} wins {}: {}", choice.winner,
                                           run.id, choice.reason),
              .is_by_engine = true};
  if (choice.winner.empty()) draft.parents = {{.from = session.last_event}};
  turn.add(std::move(draft), std::move(details));
  Json answer = {{"run", run.id},
                 {"strategy", strategy},
                 {"winner", choice.winner},
                 {"reason", choice.reason},
                 {"stopped", std::move(stopped)},
                 {"next_step", hint(session, run, choice)}};
  if (!choice.winner.empty()) answer["branch"] = choice.winner;
  if (!choice.votes.empty()) answer["votes"] = choice.votes;
  for (const ParallelArm& arm : run.arms) {
    answer["branches"].push_back(
        branch_metrics(session.branches.at(arm.branch)));
  }
  turn.answer_key = run_key(session.id, run.id).stored;
  turn.answer_digest = run.id;
  return answer;
}

}  // namespace

Result<ParallelState> find_run(const Session& session, std::string_view run) {
  const auto found = session.parallel_runs.find(run);
  if (found != session.parallel_runs.end()) {
    return parallel_from_text(found->second);
  }
  return Error(ErrorCode::NotFound,
               fmt::format("Session {} has no active parallel run {}.",
                           session.id, in_quotes(run)));
}

Result<Json> begin_run(Turn& turn, const ParallelRun& run,
                       const IsDriven& is_driven) {
  RETURN_IF_ERROR(turn.check_open());
  if (run.max_rounds < 0 || run.max_rounds > kMaxRounds) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("max_rounds must be between 0 and {}, got {}.",
                             kMaxRounds, run.max_rounds));
  }
  RETURN_IF_ERROR(find_plan_type(turn.session(), run.plan_type, ""));
  ASSIGN_OR_RETURN(const auto branches, branches_for(turn, run));
  ASSIGN_OR_RETURN(const auto abandoned,
                   abandoned_run(turn.session(), run, branches, is_driven));
  if (abandoned) return Json{{"run", *abandoned}};
  for (const std::string& branch : branches) {
    RETURN_IF_ERROR(check_idle(turn.session(), branch));
  }
  const std::string id = fmt::format("par_{}", turn.session().head + 1);
  turn.add(
      {.type = "parallel",
       .role = "decider",
       .content = fmt::format("{} of {} branches", strategy_name(run.strategy),
                              branches.size()),
       .parents = {{.from = turn.session().last_event}}},
      {{"run", id},
       {"action", "begin"},
       {"strategy", strategy_name(run.strategy)},
       {"plan_type", run.plan_type},
       {"max_rounds", run.max_rounds},
       {"branches", branches}});
  return Json{{"run", id}};
}

Result<std::optional<Json>> end_if_decided(Turn& turn, std::string_view id) {
  ASSIGN_OR_RETURN(const ParallelState run, find_run(turn.session(), id));
  if (!is_anyone_thinking(turn.session(), run)) {
    ASSIGN_OR_RETURN(const Json requests, requests_for(turn, run, nullptr));
    if (requests.empty()) {
      return std::optional<Json>(
          end_run(turn, run, final_choice(turn.session(), run)));
    }
  }
  const auto choice = early_choice(turn.session(), run);
  if (!choice) return std::optional<Json>();
  return std::optional<Json>(end_run(turn, run, *choice));
}

Json end_without_winner(Turn& turn, const ParallelState& run,
                        const std::string& reason) {
  return end_run(turn, run, {.reason = reason});
}

Result<void> ask_more(Turn& turn, std::string_view id, PathReader& paths) {
  ASSIGN_OR_RETURN(const ParallelState run, find_run(turn.session(), id));
  ASSIGN_OR_RETURN(Json requests, requests_for(turn, run, &paths));
  if (requests.empty()) return {};
  turn.add(
      {.type = "parallel",
       .role = "decider",
       .content = fmt::format("{} asks {} branches", run.id, requests.size()),
       .parents = {{.from = turn.session().last_event}},
       .is_by_engine = true,
       .status = "open"},
      {{"run", run.id}, {"action", "ask"}, {"requests", requests}});
  return {};
}

Result<std::vector<ThinkRequest>> asked(const Session& session,
                                        const ParallelState& run,
                                        PathReader& paths) {
  std::vector<ThinkRequest> list;
  for (const ParallelArm& arm : run.arms) {
    if (!is_awaited(session, arm)) continue;
    ASSIGN_OR_RETURN(const PlanType type,
                     find_plan_type(session, run.plan_type, ""));
    const Branch& branch = session.branches.at(arm.branch);
    std::vector<PathStep> path;
    if (arm.memory > 0) {
      ASSIGN_OR_RETURN(path, paths.path(branch.head));
    }
    list.push_back(think_request(session, branch, type, path, arm.memory));
    list.back().id = arm.request;
    list.back().max_tokens = arm.max_tokens;
  }
  return list;
}

}  // namespace lamarck::thought::internal
