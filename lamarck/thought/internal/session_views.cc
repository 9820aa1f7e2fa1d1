#include "lamarck/thought/internal/session_views.h"

#include <algorithm>
#include <array>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/store/redaction.h"
#include "lamarck/thought/internal/answers.h"

namespace lamarck::thought::internal {
namespace {

// Outcomes of stopped branches that do not mean that the branch was bad.
constexpr std::array<std::string_view, 2> kNeutralOutcomes = {
    "merged", "session_completed"};

bool is_early_stop(const Branch& branch) {
  return branch.state == BranchState::EarlyStopped &&
         std::ranges::find(kNeutralOutcomes, branch.outcome) ==
             kNeutralOutcomes.end();
}

bool is_waste(const Branch& branch) {
  return is_early_stop(branch) || branch.last_evidence == "failure" ||
         branch.state == BranchState::Rejected;
}

Json branch_view(const Branch& branch) {
  Json view = branch_metrics(branch);
  view["name"] = store::redacted(branch.name);
  view["state"] = branch_state_name(branch.state);
  view["steps"] = branch.steps;
  if (!branch.from.empty()) view["from"] = branch.from;
  if (!branch.plan_type.empty()) view["plan_type"] = branch.plan_type;
  return view;
}

}  // namespace

std::vector<const Branch*> branches_of(const Session& session) {
  std::vector<const Branch*> list;
  for (const auto& [id, branch] : session.branches) list.push_back(&branch);
  std::ranges::sort(list, {}, &Branch::created);
  return list;
}

std::string_view shown_state(const Branch& branch) {
  const bool is_stopped = branch.state == BranchState::EarlyStopped;
  if (is_stopped && branch.outcome == "merged") return "merged";
  if (is_stopped && branch.outcome == "session_completed") return "completed";
  return branch_state_name(branch.state);
}

Json branch_metrics(const Branch& branch) {
  Json metrics = {{"branch_id", branch.id},
                  {"tokens", branch.tokens},
                  {"latency_ms", branch.thinking_time.count()},
                  {"early_stopped", is_early_stop(branch)},
                  {"outcome", branch.outcome.empty()
                                  ? std::string(branch_state_name(branch.state))
                                  : store::redacted(branch.outcome)}};
  if (branch.is_scored) {
    metrics["score"] = score_json(branch.score);
    metrics["reward"] = reward_of(branch.score);
  }
  return metrics;
}

Json session_status(const Session& session) {
  Json branches = Json::array();
  for (const Branch* branch : branches_of(session)) {
    branches.push_back(branch_view(*branch));
  }
  Json alerts = Json::array();
  for (const Alert& alert : session.alerts) {
    alerts.push_back({{"kind", alert.kind}, {"message", alert.message}});
  }
  Json runs = Json::array();
  for (const auto& [id, text] : session.parallel_runs) runs.push_back(id);
  return {{"goal", session.goal},
          {"success_criteria", session.success_criteria},
          {"branches", std::move(branches)},
          {"winner", session.winner},
          {"head", session.head},
          {"alerts", std::move(alerts)},
          {"parallel_runs", std::move(runs)}};
}

Json session_metrics(const Session& session) {
  std::int64_t wasted = 0;
  std::int64_t early_stops = 0;
  for (const auto& [id, branch] : session.branches) {
    if (is_waste(branch)) wasted += branch.tokens;
    if (is_early_stop(branch)) ++early_stops;
  }
  const auto steps = session.event_counts.find("plan_step");
  const auto used =
      static_cast<double>(std::max<std::int64_t>(1, session.tokens_used));
  return {
      {"tpst", session.tokens_used},
      {"model_hops", steps == session.event_counts.end() ? 0 : steps->second},
      {"first_pass_success", session.first_evidence == "success"},
      {"waste_ratio", static_cast<double>(wasted) / used},
      {"early_stop_count", early_stops}};
}

}  // namespace lamarck::thought::internal
