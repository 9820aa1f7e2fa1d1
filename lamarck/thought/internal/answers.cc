#include "lamarck/thought/internal/answers.h"

#include <algorithm>
#include <array>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/session_export.h"

namespace lamarck::thought::internal {
namespace {

struct Hint {
  BranchState state;
  std::string_view text;
};

constexpr std::array kHints = {
    Hint{BranchState::Init,
         "Think on this branch with think_plan_step, or hand in its plan with "
         "think_validate_plan."},
    Hint{BranchState::Planning,
         "Go on with think_plan_step, score the branch with think_branch, or "
         "hand in its plan with think_validate_plan."},
    Hint{BranchState::Scoring,
         "Hand in the plan of this branch with think_validate_plan, or choose "
         "among branches with think_parallel_run."},
    Hint{BranchState::Validating, "Wait for the validation."},
    Hint{BranchState::Validated,
         "Choose among validated branches with think_parallel_run, or take "
         "this plan with think_export_plan."},
    Hint{BranchState::Rejected,
         "Change the plan as suggested and hand it in again with "
         "think_validate_plan."},
    Hint{BranchState::Executing,
         "Carry the plan out and report what came of it with "
         "think_receive_evidence."},
    Hint{BranchState::EvidenceReceived,
         "Review the evidence with think_plan_step as a critique, or complete "
         "the session with think_session_control."},
    Hint{BranchState::EarlyStopped,
         "This branch has stopped; go on with another one or fork a new one "
         "with think_branch."},
    Hint{BranchState::Completed,
         "Complete the session with think_session_control, or fork a new "
         "branch with think_branch."}};

std::string branch_hint(const Branch& branch) {
  if (branch.state == BranchState::Validated && branch.plan_type == "DocPlan") {
    return "Take this plan with think_export_doc_plan.";
  }
  if (branch.state == BranchState::EvidenceReceived &&
      branch.last_evidence == "failure") {
    return "Mend it as suggested and report again with "
           "think_receive_evidence and healing_action, or fork a branch from "
           "this one with think_branch for a new plan.";
  }
  const auto* const hint =
      std::ranges::find(kHints, branch.state, &Hint::state);
  return std::string(hint->text);
}

std::int64_t at_least_0(std::int64_t value) {
  return std::max<std::int64_t>(0, value);
}

Json new_alerts(const Turn& turn) {
  Json list = Json::array();
  const auto& events = turn.events();
  for (const Alert& alert : turn.session().alerts) {
    const bool is_new = std::ranges::any_of(
        events, [&](const auto& event) { return event.id == alert.event; });
    if (!is_new) continue;
    list.push_back({{"kind", alert.kind}, {"message", alert.message}});
  }
  return list;
}

}  // namespace

std::string next_step(const Session& session, const Branch* branch) {
  if (session.state == SessionState::Completed) {
    return "The session is complete; think_digest sums it up.";
  }
  if (is_final(session.state)) {
    return "The session has ended; think_digest sums it up, and "
           "think_session_start begins a new one.";
  }
  if (session.state == SessionState::Paused) {
    return "Resume the session with think_session_control.";
  }
  if (branch != nullptr) return branch_hint(*branch);
  return "Think with think_plan_step, or fork alternatives with think_branch.";
}

Json budgets_left(const Session& session) {
  const auto forked = static_cast<std::int64_t>(session.branches.size()) - 1;
  const SessionBudgets& budgets = session.budgets;
  return {{"tokens_used", session.tokens_used},
          {"tokens_left", at_least_0(budgets.tokens - session.tokens_used -
                                     session.tokens_reserved)},
          {"time_left_ms",
           at_least_0((budgets.wall_time - session.time_used).count())},
          {"branches_left", at_least_0(budgets.branches - forked)}};
}

Json score_json(const BranchScore& score) {
  return {{"completeness", score.completeness},
          {"risk", score.risk},
          {"cost", score.cost},
          {"history_prior", score.history_prior}};
}

Json clock_json(const store::ClockCounts& clock) { return clock; }

Json complete_answer(Json answer, const Turn& turn) {
  const Session& session = turn.session();
  const Branch* branch = nullptr;
  if (const auto id = answer.find("branch"); id != answer.end()) {
    const auto found = session.branches.find(id->get_ref<const std::string&>());
    if (found != session.branches.end()) branch = &found->second;
  }
  answer["session"] = session.id;
  answer["session_state"] = session_state_name(session.state);
  if (branch != nullptr) answer["state"] = branch_state_name(branch->state);
  Json events = Json::array();
  for (const store::Event& event : turn.events()) events.push_back(event.id);
  answer["events"] = std::move(events);
  answer["budgets"] = budgets_left(session);
  answer["audit"] = audit_bar(session);
  answer["vector_clock"] = session.vector_clock;
  Json alerts = new_alerts(turn);
  if (!alerts.empty()) answer["alerts"] = std::move(alerts);
  if (!answer.contains("next_step")) {
    answer["next_step"] = next_step(session, branch);
  }
  return answer;
}

}  // namespace lamarck::thought::internal
