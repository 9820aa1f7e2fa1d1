// Whether an event may hang on others: its parents must be in its past.

#pragma once

#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// `seen` is what the writer `node` knows; empty = everything. Without parents,
// as when the branch's last event was pruned, it must be all there is. Fails
// with NotFound for a parent that is no event of the session, and with Conflict
// (fields status 409, resolution, vector_clock, head, missed_events: the ids
// that are not in `seen`, at most 200, and missed_count) when the writer has
// not seen a parent or an event of its own, or claims what never happened.
Result<void> check_causality(store::Journal& journal, const Session& session,
                             const std::vector<std::string>& parents,
                             const store::ClockCounts& seen,
                             std::string_view node);

}  // namespace lamarck::thought::internal
