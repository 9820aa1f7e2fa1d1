#include "lamarck/thought/internal/advice.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lamarck::thought::internal {
namespace {

struct Hint {
  BranchState state;
  std::string_view text;
};

constexpr std::array kHints = {
    Hint{BranchState::Init,
         "Think on this branch with think_plan_step, or submit its plan with "
         "think_validate_plan."},
    Hint{BranchState::Planning,
         "Continue with think_plan_step, score the branch with think_branch, "
         "or submit its plan with think_validate_plan."},
    Hint{BranchState::Scoring,
         "Submit the plan of this branch with think_validate_plan, or choose "
         "among branches with think_parallel_run."},
    Hint{BranchState::Validating, "Wait for the validation."},
    Hint{BranchState::Validated,
         "Choose among validated branches with think_parallel_run, or export "
         "this plan with think_export_plan."},
    Hint{BranchState::Rejected,
         "Change the plan as suggested and submit it again with "
         "think_validate_plan."},
    Hint{BranchState::Executing,
         "Execute the plan and report the result with think_receive_evidence."},
    Hint{BranchState::EvidenceReceived,
         "Review the evidence with think_plan_step as a critique, or complete "
         "the session with think_session_control."},
    Hint{BranchState::EarlyStopped,
         "This branch has stopped; continue with another one or fork a new one "
         "with think_branch."},
    Hint{BranchState::Completed,
         "Complete the session with think_session_control, or fork a new "
         "branch with think_branch."}};

constexpr std::array kDocHints = {
    Hint{BranchState::Validated,
         "Export this plan with think_export_doc_plan."},
    Hint{BranchState::Executing,
         "Write the document and report the result of its check with "
         "think_receive_doc_validation."}};

bool has_failed(const Branch& branch) {
  return branch.state == BranchState::EvidenceReceived &&
         branch.last_evidence == "failure";
}

std::string branch_hint(const Branch& branch) {
  if (has_failed(branch)) {
    return fmt::format(
        "Fix it as suggested and report again with {}, or fork a branch from "
        "this one with think_branch for a new plan.",
        is_doc_plan(branch.plan_type)
            ? "think_receive_doc_validation"
            : "think_receive_evidence and healing_action");
  }
  const auto* const doc =
      std::ranges::find(kDocHints, branch.state, &Hint::state);
  if (is_doc_plan(branch.plan_type) && doc != kDocHints.end()) {
    return std::string(doc->text);
  }
  const auto* const hint =
      std::ranges::find(kHints, branch.state, &Hint::state);
  return std::string(hint->text);
}

// What can be done with the branch without spending tokens; "" = nothing.
std::string free_hint(const Branch& branch) {
  if (branch.state == BranchState::Validated) {
    return fmt::format("export the plan of {} with {}", branch.id,
                       export_tool(branch.plan_type));
  }
  if (branch.state == BranchState::Executing || has_failed(branch)) {
    return fmt::format("report the result of {} with {}", branch.id,
                       report_tool(branch.plan_type));
  }
  return "";
}

std::string hint_without_tokens(const Session& session, const Branch* branch) {
  std::string free = branch == nullptr ? "" : free_hint(*branch);
  for (const auto& [id, other] : session.branches) {
    if (free.empty()) free = free_hint(other);
  }
  if (!free.empty()) free += ", or ";
  return fmt::format(
      "No tokens are left for more thoughts: {}end the session with "
      "think_session_control (complete or fail); think_session_start can start "
      "one with a larger token_budget.",
      free);
}

}  // namespace

bool is_doc_plan(std::string_view plan_type) { return plan_type == "DocPlan"; }

std::string_view export_tool(std::string_view plan_type) {
  return is_doc_plan(plan_type) ? "think_export_doc_plan" : "think_export_plan";
}

std::string_view report_tool(std::string_view plan_type) {
  return is_doc_plan(plan_type) ? "think_receive_doc_validation"
                                : "think_receive_evidence";
}

std::string next_step(const Session& session,
                      std::chrono::milliseconds time_used, const Branch* branch,
                      std::string own) {
  if (session.state == SessionState::Completed) {
    return "The session is complete; think_digest summarizes it.";
  }
  if (is_final(session.state)) {
    return "The session has ended; think_digest summarizes it, and "
           "think_session_start starts a new one.";
  }
  if (session.state == SessionState::Paused) {
    return "Resume the session with think_session_control.";
  }
  if (time_used > session.budgets.wall_time) {
    return "The time is used up, so the next call ends the session; "
           "think_digest summarizes it, and think_session_start starts a new "
           "one.";
  }
  if (session.tokens_used >= session.budgets.tokens) {
    return hint_without_tokens(session, branch);
  }
  if (!own.empty()) return own;
  if (branch != nullptr) return branch_hint(*branch);
  return "Think with think_plan_step, or fork alternatives with think_branch.";
}

}  // namespace lamarck::thought::internal
