// Appends to a run that all sessions of a journal share.

#pragma once

#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"

namespace lamarck::thought::internal {

// Creates the run with its first event. An event whose id is known is not
// appended again; that is no error.
Result<void> append_to_log(store::Journal& journal, const store::Run& run,
                           store::Event event);

}  // namespace lamarck::thought::internal
