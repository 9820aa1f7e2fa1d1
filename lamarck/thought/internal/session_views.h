// JSON views of a session.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// In the order of creation.
std::vector<const Branch*> branches_of(const Session& session);

// The state of a branch in the words of a reader: a branch that was merged is
// "merged", and one that was open when its session completed is "completed",
// although the transition table stops both early.
std::string_view shown_state(const Branch& branch);

// Goal, criteria, branches, winner, counts, alerts.
Json session_status(const Session& session);

// tpst, model_hops, first_pass_success, waste_ratio, early_stop_count.
Json session_metrics(const Session& session);
// branch_id, tokens, latency_ms, score, early_stopped, outcome. A branch that
// was merged, or was open when its session completed, does not count as stopped
// early.
Json branch_metrics(const Branch& branch);

}  // namespace lamarck::thought::internal
