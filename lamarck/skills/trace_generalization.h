// Turns traces of finished tasks into a skill without a model: literals that
// occur in the request become parameters, values that come from earlier results
// become references to them, and other constants stay.

#pragma once

#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/skills/skill.h"
#include "lamarck/skills/trace.h"

namespace lamarck::skills {

// The successful calls only, without immediate repetitions.
Trace effective_trace(const Trace& trace);

// REQUIRES: at least one trace. Fails with FailedPrecondition if the traces do
// not call the same tools in the same order. What differs between them and
// comes from no result becomes a parameter. Each trace becomes a case of
// `evals`, which the draft reproduces.
Result<SkillDraft> generalize_traces(const std::vector<Trace>& traces);

}  // namespace lamarck::skills
