// The replies of thinkers in a parallel run.

#include <algorithm>
#include <charconv>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/thought/internal/amount.h"
#include "lamarck/thought/internal/parallel_fold.h"
#include "lamarck/thought/internal/parallel_turn.h"
#include "lamarck/thought/internal/plan_reply.h"
#include "lamarck/thought/internal/plan_turn.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought::internal {
namespace {

std::int64_t number_field(const Error& error, std::string_view name) {
  const auto found = error.fields().find(name);
  if (found == error.fields().end()) return 0;
  std::int64_t value = 0;
  const std::string& text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::max<std::int64_t>(0, value);
}

std::int64_t reported_cost(const Error& error) {
  return number_field(error, "tokens_in") + number_field(error, "tokens_out");
}

// The cost of a reply. If the thinker does not report it, it is estimated from
// the texts; reserved - max_tokens is the estimate of the prompt.
std::int64_t cost_of(const ParallelArm& arm,
                     const Result<ThoughtReply>& reply) {
  if (!reply) return reported_cost(reply.error());
  if (reply->tokens > 0) return reply->tokens;
  return arm.reserved - arm.max_tokens +
         std::min(arm.max_tokens, estimate_tokens(reply->text));
}

std::string thought_of(const PlanReply& said) {
  return said.thought.empty() ? "A plan is handed in." : said.thought;
}

void learn(Turn& turn, const ParallelState& run, const std::string& branch) {
  if (run.strategy != Strategy::Bandit) return;
  const Branch& own = turn.session().branches.at(branch);
  const double reward = own.is_scored ? reward_of(own.score) : 0;
  turn.add({.type = "parallel",
            .role = "decider",
            .content = fmt::format("{} earns {:.3f}", branch, reward),
            .parents = {{.from = own.head}},
            .is_by_engine = true},
           {{"run", run.id},
            {"action", "learn"},
            {"of", branch},
            {"reward", reward}});
}

// Adds the thought and returns the plan in it, "" if there is none.
std::string add_thought(Turn& turn, const ParallelState& run,
                        const ParallelArm& arm, const RequestReply& given) {
  const Result<ThoughtReply>& reply = given.reply;
  const Branch& branch = turn.session().branches.at(arm.branch);
  Json details = {{"run", run.id}, {"request", arm.request}};
  if (given.latency) {
    details["latency_ms"] =
        std::clamp<std::int64_t>(given.latency->count(), 0, kMaxPerEvent);
  }
  PlanReply said;
  if (reply) {
    // Limits what is read of a model that does not stop. The estimate is high,
    // so a reply within its limit is never cut.
    said = find_plan(truncate_tokens(reply->text, 2 * arm.max_tokens));
    details["model"] = one_line(reply->model);
  } else {
    details["failed"] = true;
  }
  turn.add({.type = "plan_step",
            .branch = branch.id,
            .content = reply ? thought_of(said)
                             : "No thought: " + reply.error().message(),
            .moves = moves_of_step(branch.state),
            .is_by_engine = true,
            .status = reply ? "done" : "rejected",
            .token_cost = cost_of(arm, reply)},
           std::move(details));
  return said.plan;
}

// Ends the session if a thinker used more than its limit.
void check_used(Turn& turn) {
  const std::int64_t used = turn.session().tokens_used;
  const std::int64_t budget = turn.session().budgets.tokens;
  if (used <= budget) return;
  turn.end_session(
      SessionState::BudgetExceeded,
      fmt::format(
          "A thinker used more than its limit; {} of {} tokens are used.", used,
          budget),
      true);
}

// Counts what a reply cost that came after its request was given up.
void add_late_reply(Turn& turn, std::string_view run,
                    const RequestReply& given) {
  const Session& session = turn.session();
  const auto found =
      session.late_requests.find(late_request_name(run, given.request));
  if (found == session.late_requests.end()) return;
  const std::int64_t counted = found->second;
  const std::int64_t cost = !given.reply ? reported_cost(given.reply.error())
                            : given.reply->tokens > 0
                                ? given.reply->tokens
                                : counted + estimate_tokens(given.reply->text);
  if (cost <= counted) return;
  // The id of a request starts with its branch.
  const std::string branch = given.request.substr(0, given.request.find('#'));
  turn.add(
      {.type = "parallel",
       .branch = branch,
       .role = "decider",
       .content = fmt::format("The reply to {} came too late", given.request),
       .is_by_engine = true,
       .status = "early_stopped",
       .token_cost = cost - counted},
      {{"run", run}, {"action", "late"}, {"request", given.request}});
  check_used(turn);
}

Result<void> add_reply(Turn& turn, ParallelState& run,
                       const RequestReply& given, const PlanHistory& history) {
  const ParallelArm* arm = run.arm_of_request(given.request);
  if (arm == nullptr) return {};
  const std::string plan = add_thought(turn, run, *arm, given);
  const Branch& branch = turn.session().branches.at(arm->branch);
  if (!plan.empty() && moves_to(branch.state, BranchState::Validating)) {
    const PlanTraits traits =
        traits_of(run.plan_type, parse_json(plan).value_or(Json::object()));
    const Result<Json> review = add_validation(
        turn, {.branch = branch.id,
               .plan_type = run.plan_type,
               .plan = plan,
               .success_rate = history.success_rate(traits, turn.wall_time()),
               .is_by_engine = true});
    if (!review) {
      turn.add({.type = "critique",
                .branch = branch.id,
                .role = "critic",
                .content = review.error().message(),
                .is_by_engine = true},
               Json::object());
    }
  }
  learn(turn, run, branch.id);
  check_used(turn);
  return {};
}

}  // namespace

void drop_requests(Turn& turn, const ParallelState& run) {
  for (const ParallelArm& arm : run.arms) {
    if (arm.request.empty()) continue;
    // reserved - max_tokens is the estimate of the prompt.
    turn.add({.type = "parallel",
              .branch = arm.branch,
              .role = "decider",
              .content = fmt::format("{} is cancelled", arm.request),
              .is_by_engine = true,
              .status = "early_stopped",
              .token_cost = arm.reserved - arm.max_tokens},
             {{"run", run.id}, {"action", "drop"}, {"request", arm.request}});
  }
}

Result<Json> take_replies(Turn& turn, std::string_view id,
                          const std::vector<RequestReply>& replies,
                          const PlanHistory& history) {
  Json answer = Json::object();
  const Session& session = turn.session();
  for (const RequestReply& reply : replies) {
    if (is_final(session.state)) return answer;
    const auto text = session.parallel_runs.find(id);
    if (text == session.parallel_runs.end()) {
      add_late_reply(turn, id, reply);
      continue;
    }
    ASSIGN_OR_RETURN(ParallelState run, parallel_from_text(text->second));
    RETURN_IF_ERROR(add_reply(turn, run, reply, history));
    const bool is_last = &reply == &replies.back();
    if (is_final(session.state)) return answer;
    if (!is_last && run.strategy != Strategy::Race) continue;
    ASSIGN_OR_RETURN(std::optional<Json> end, end_if_decided(turn, id));
    if (end) answer = *std::move(end);
  }
  return answer;
}

}  // namespace lamarck::thought::internal
