// Applies the events of a parallel run to its session.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/store/event.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// `details["action"]` selects the event and its fields: begin (strategy,
// plan_type, max_rounds, branches), ask (requests), learn (of, reward), drop
// (request; its cost is that of the prompt), late (request; the rest of its
// cost) or end (winner).
Result<void> apply_parallel(Session& session, const store::Event& event,
                            const Json& details);

// Applies the reply of a thinker: releases the tokens reserved for its request.
Result<void> settle_request(Session& session, Branch& branch,
                            const Json& details);

// The name of a request in Session::late_requests.
std::string late_request_name(std::string_view run, std::string_view request);

// DataDamaged unless the reserved tokens of the session equal the sum over its
// parallel runs.
Result<void> check_reservations(const Session& session);

}  // namespace lamarck::thought::internal
