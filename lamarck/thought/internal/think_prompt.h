// What a thinker is asked for a branch.

#pragma once

#include <string>

#include "lamarck/thought/internal/parallel_state.h"
#include "lamarck/thought/plan_check.h"
#include "lamarck/thought/session.h"
#include "lamarck/thought/thinker.h"

namespace lamarck::thought::internal {

// The same session asks the same. Private steps are never told.
ThinkRequest think_request(const Session& session, const Branch& branch,
                           const PlanType& type);

}  // namespace lamarck::thought::internal
