// A session as JSON to look at.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// In the order in which they were made.
std::vector<const Branch*> branches_of(const Session& session);

// Goal, criteria, branches, winner, counts, alerts.
Json session_status(const Session& session);

// tpst, model_hops, first_pass_success, waste_ratio, early_stop_count.
Json session_metrics(const Session& session);
// branch_id, tokens, latency_ms, score, early_stopped, outcome. A branch that
// was merged, or open when its session was completed, was not stopped early.
Json branch_metrics(const Branch& branch);

// The session in at most `max_tokens` tokens, secrets redacted. `branch` goes
// into more detail; null = all alike.
std::string digest_text(const Session& session, const Branch* branch,
                        std::int64_t max_tokens);

}  // namespace lamarck::thought::internal
