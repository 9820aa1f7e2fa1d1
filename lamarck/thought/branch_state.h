// The life of a branch: its states and the transitions between them, as a
// table.

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

// All of them; what is not here is refused.
std::span<const BranchTransition> branch_transitions();

// In the order of the enumeration.
std::span<const std::string_view> branch_state_names();
std::string_view branch_state_name(BranchState state);  // "early_stopped".
Result<BranchState> branch_state_named(std::string_view name);
std::string_view branch_trigger_name(BranchTrigger trigger);

// The state after it; else FailedPrecondition, in a sentence that names the
// branch's state and the triggers that are legal in it.
Result<BranchState> after(BranchState state, BranchTrigger trigger,
                          std::string_view branch);

bool is_final(BranchState state);

}  // namespace lamarck::thought
