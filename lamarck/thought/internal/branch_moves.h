// Ways through the table of branch_state.h.

#pragma once

#include <optional>
#include <vector>

#include "lamarck/thought/branch_state.h"

namespace lamarck::thought::internal {

using Moves = std::vector<BranchTrigger>;

// The fewest inputs that lead from one state to the other; nothing if there is
// no way.
std::optional<Moves> moves_to(BranchState from, BranchState to);

// A further thought begins a branch and reopens a rejected one; else the state
// stays.
Moves moves_of_step(BranchState state);

// The way to early_stopped, by `trigger` where the table has that, else by
// another one. Nothing for what cannot be stopped any more.
std::optional<Moves> moves_to_stop(BranchState state, BranchTrigger trigger);

}  // namespace lamarck::thought::internal
