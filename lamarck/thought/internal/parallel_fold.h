// Applies the events of a parallel run to its session.

#pragma once

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/store/event.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// `details["action"]` selects the event and its fields: begin (strategy,
// plan_type, max_rounds, branches), ask (requests), learn (of, reward) or end
// (winner).
Result<void> apply_parallel(Session& session, const store::Event& event,
                            const Json& details);

// Applies the reply of a thinker: releases the tokens reserved for its request.
Result<void> settle_request(Session& session, Branch& branch,
                            const Json& details);

// DataDamaged unless the reserved tokens of the session equal the sum over its
// parallel runs.
Result<void> check_reservations(const Session& session);

}  // namespace lamarck::thought::internal
