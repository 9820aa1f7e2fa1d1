// The chain from a plan to the evidence about it.

#pragma once

#include "lamarck/base/json.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// Links {"step": plan, validate, export, execution, tests, evidence or end}, in
// order. plan, validate, export, evidence and end have an event_id and a
// status; execution has the tool, its arguments, the exit code and the end of
// stderr; tests has passed and failed. A pruned event appears with its id
// alone.
Json evidence_chain(store::Journal& journal, const Session& session);

}  // namespace lamarck::thought::internal
