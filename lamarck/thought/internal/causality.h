// Checks that the parents of a new event lie in its causal past.

#pragma once

#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// `seen` is the vector clock of the writer `node`; empty = it has seen
// everything. Without parents (the last event of the branch was pruned) `seen`
// must cover the whole session. Fails with NotFound if a parent is not an event
// of the session. Fails with Conflict if the writer has not seen a parent or
// one of its own events, or if `seen` is ahead of the session. The error fields
// are status (409), resolution, vector_clock, head, missed_events (at most 200
// ids that `seen` does not cover) and missed_count.
Result<void> check_causality(store::Journal& journal, const Session& session,
                             const std::vector<std::string>& parents,
                             const store::ClockCounts& seen,
                             std::string_view node);

}  // namespace lamarck::thought::internal
