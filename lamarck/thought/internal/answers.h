// The members that every answer has: the state of the session, its remaining
// budgets, and what to do next.

#pragma once

#include <chrono>

#include "lamarck/base/json.h"
#include "lamarck/thought/internal/turn.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// tokens_used, tokens_left, time_left_ms, branches_left. `time_used` is the
// current value.
Json budgets_left(const Session& session, std::chrono::milliseconds time_used);
Json score_json(const BranchScore& score);
Json clock_json(const store::ClockCounts& clock);

// Adds to `answer`: session, session_state, the events of the turn, the state
// of the branch that `answer` names, budgets, audit, the alerts raised by this
// turn, vector_clock, and next_step (see advice.h; a next_step in `answer` is
// passed on as the advice of the call).
Json complete_answer(Json answer, const Turn& turn);

}  // namespace lamarck::thought::internal
