// What the events of a parallel run do to its session.

#pragma once

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/store/event.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// begin: strategy, plan_type, max_rounds, branches; ask: requests; learn:
// reward of a branch; end: winner.
Result<void> apply_parallel(Session& session, const store::Event& event,
                            const Json& details);

// A thinker's reply came: what was reserved for it is free again.
Result<void> settle_request(Session& session, Branch& branch,
                            const Json& details);

// DataDamaged unless what a session has reserved is what its parallel runs
// have.
Result<void> check_reservations(const Session& session);

}  // namespace lamarck::thought::internal
