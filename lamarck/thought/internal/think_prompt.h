// The prompt that asks a thinker for the next thought of a branch.

#pragma once

#include <string>

#include "lamarck/thought/internal/parallel_state.h"
#include "lamarck/thought/plan_check.h"
#include "lamarck/thought/session.h"
#include "lamarck/thought/thinker.h"

namespace lamarck::thought::internal {

// A pure function of its arguments. Private steps are never included, and
// secrets are redacted.
ThinkRequest think_request(const Session& session, const Branch& branch,
                           const PlanType& type);

}  // namespace lamarck::thought::internal
