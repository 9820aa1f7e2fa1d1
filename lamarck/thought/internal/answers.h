// What every answer says beside its own: where the session stands, what is left
// and what to do next.

#pragma once

#include <chrono>

#include "lamarck/base/json.h"
#include "lamarck/thought/internal/turn.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// tokens_used, tokens_left, time_left_ms, branches_left. The time is as of now.
Json budgets_left(const Session& session, std::chrono::milliseconds time_used);
Json score_json(const BranchScore& score);
Json clock_json(const store::ClockCounts& clock);

// `answer` with session, session_state, events of the turn, the state of the
// branch that `answer` names, budgets, audit, alerts that are new (those of the
// turn's events), vector_clock, and next_step, for which its own is weighed.
Json complete_answer(Json answer, const Turn& turn);

}  // namespace lamarck::thought::internal
