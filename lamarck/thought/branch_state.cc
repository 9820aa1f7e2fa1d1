#include "lamarck/thought/branch_state.h"

#include <algorithm>
#include <array>
#include <utility>
#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"

namespace lamarck::thought {
namespace {

constexpr std::array<std::string_view, 10> kBranchStateNames = {
    "init",     "planning",  "scoring",           "validating",    "validated",
    "rejected", "executing", "evidence_received", "early_stopped", "completed"};

constexpr std::array<std::string_view, 7> kTriggerNames = {
    "user_input",      "validate_pass",    "validate_fail",   "race_lost",
    "budget_exceeded", "evidence_success", "evidence_failure"};

// A branch can be stopped while it is planned or scored. Once validated it is
// either exported or left alone, so a plan that passed is never lost.
constexpr auto kBranchTransitions = [] {
  using enum BranchState;
  return std::array<BranchTransition, 13>{{
      {Init, BranchTrigger::UserInput, Planning},
      {Planning, BranchTrigger::UserInput, Scoring},
      {Planning, BranchTrigger::RaceLost, EarlyStopped},
      {Planning, BranchTrigger::BudgetExceeded, EarlyStopped},
      {Scoring, BranchTrigger::UserInput, Validating},
      {Scoring, BranchTrigger::RaceLost, EarlyStopped},
      {Validating, BranchTrigger::ValidatePass, Validated},
      {Validating, BranchTrigger::ValidateFail, Rejected},
      {Validated, BranchTrigger::UserInput, Executing},
      {Rejected, BranchTrigger::UserInput, Planning},
      {Executing, BranchTrigger::EvidenceSuccess, EvidenceReceived},
      {Executing, BranchTrigger::EvidenceFailure, EvidenceReceived},
      {EvidenceReceived, BranchTrigger::UserInput, Completed},
  }};
}();

std::string legal_triggers(BranchState state) {
  std::vector<std::string_view> names;
  for (const BranchTransition& transition : kBranchTransitions) {
    if (transition.from == state) {
      names.push_back(branch_trigger_name(transition.trigger));
    }
  }
  return join_text(names, ", ");
}

Error refusal(BranchState state, BranchTrigger trigger,
              std::string_view branch) {
  const std::string begin =
      fmt::format("Branch {} is {} and does not accept {}; ", in_quotes(branch),
                  branch_state_name(state), branch_trigger_name(trigger));
  const std::string end =
      is_final(state)
          ? std::string("this state is final, so fork a new branch instead.")
          : fmt::format("legal triggers: {}.", legal_triggers(state));
  return {ErrorCode::FailedPrecondition,
          begin + end,
          {{"state", std::string(branch_state_name(state))},
           {"legal", legal_triggers(state)}}};
}

}  // namespace

std::span<const BranchTransition> branch_transitions() {
  return kBranchTransitions;
}

std::span<const std::string_view> branch_state_names() {
  return kBranchStateNames;
}

std::string_view branch_state_name(BranchState state) {
  const auto index = static_cast<std::size_t>(state);
  REQUIRE(index < kBranchStateNames.size(),
          "branch_state_name: the state must be below {}, got {}.",
          kBranchStateNames.size(), index);
  return kBranchStateNames[index];
}

Result<BranchState> parse_branch_state(std::string_view name) {
  const auto found = std::ranges::find(kBranchStateNames, name);
  if (found == kBranchStateNames.end()) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("Unknown branch state {}; use one of {}.", in_quotes(name),
                    join_text(kBranchStateNames, ", ")));
  }
  return static_cast<BranchState>(found - kBranchStateNames.begin());
}

std::string_view branch_trigger_name(BranchTrigger trigger) {
  const auto index = static_cast<std::size_t>(trigger);
  REQUIRE(index < kTriggerNames.size(),
          "branch_trigger_name: the trigger must be below {}, got {}.",
          kTriggerNames.size(), index);
  return kTriggerNames[index];
}

Result<BranchState> after(BranchState state, BranchTrigger trigger,
                          std::string_view branch) {
  for (const BranchTransition& transition : kBranchTransitions) {
    if (transition.from == state && transition.trigger == trigger) {
      return transition.to;
    }
  }
  return refusal(state, trigger, branch);
}

bool is_final(BranchState state) {
  return std::ranges::none_of(kBranchTransitions,
                              [state](const BranchTransition& transition) {
                                return transition.from == state;
                              });
}

}  // namespace lamarck::thought
