// The state machine of a branch: its states, and a table of the transitions
// between them.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::thought {

enum class BranchState : std::uint8_t {
  Init,
  Planning,
  Scoring,
  Validating,
  Validated,
  Rejected,
  Executing,
  EvidenceReceived,
  EarlyStopped,
  Completed,
};

enum class BranchTrigger : std::uint8_t {
  UserInput,
  ValidatePass,
  ValidateFail,
  RaceLost,
  BudgetExceeded,
  EvidenceSuccess,
  EvidenceFailure,
};

struct BranchTransition {
  BranchState from;
  BranchTrigger trigger;
  BranchState to;
};

// The whole table; every transition that is not listed is rejected.
std::span<const BranchTransition> branch_transitions();

// Names in the order of the enumeration.
std::span<const std::string_view> branch_state_names();
std::string_view branch_state_name(BranchState state);  // "early_stopped".
// Parses a state name; InvalidArgument for an unknown one.
Result<BranchState> parse_branch_state(std::string_view name);
std::string_view branch_trigger_name(BranchTrigger trigger);

// Returns the state that `trigger` leads to. If the table has no such
// transition, fails with FailedPrecondition; the message names the state of
// `branch` and the triggers that are legal in it.
Result<BranchState> after(BranchState state, BranchTrigger trigger,
                          std::string_view branch);

// Returns whether no transition leaves `state`.
bool is_final(BranchState state);

}  // namespace lamarck::thought
