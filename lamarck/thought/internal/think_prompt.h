// The prompt that asks a thinker for the next thought of a branch.

#pragma once

#include <cstdint>
#include <vector>

#include "lamarck/thought/internal/path_memory.h"
#include "lamarck/thought/plan_check.h"
#include "lamarck/thought/session.h"
#include "lamarck/thought/thinker.h"

namespace lamarck::thought::internal {

// A pure function of its arguments. `path` is what led to the branch; it gets
// at most `memory_tokens` tokens. Private steps are never included, and secrets
// are redacted.
ThinkRequest think_request(const Session& session, const Branch& branch,
                           const PlanType& type,
                           const std::vector<PathStep>& path,
                           std::int64_t memory_tokens);

}  // namespace lamarck::thought::internal
