// Paths through the transition table of branch_state.h.

#pragma once

#include <optional>
#include <vector>

#include "lamarck/thought/branch_state.h"

namespace lamarck::thought::internal {

using Moves = std::vector<BranchTrigger>;

// The user inputs that lead from one state to the other; nullopt if there is no
// such path.
std::optional<Moves> moves_to(BranchState from, BranchState to);

// The moves of a further thought: it starts a new branch and reopens a rejected
// one. In other states it moves nothing.
Moves moves_of_step(BranchState state);

// The path to early_stopped, by `trigger` if the table allows it, otherwise by
// RaceLost. nullopt for a branch that can no longer be stopped.
std::optional<Moves> moves_to_stop(BranchState state, BranchTrigger trigger);

}  // namespace lamarck::thought::internal
