// Requests to a run that goes on, and changes of one that does not.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/runs/run_catalog.h"
#include "lamarck/runs/run_event.h"

namespace lamarck::runs {

// Appends events to a run from outside of its process.
Result<void> append_to_run(RunCatalog& catalog, const std::string& run,
                           const RunEvent& event,
                           std::optional<std::string> new_state = {});

// Fails for sessions and agents' tasks, and says what to do instead; `verb` is
// "stop" or "resume".
Result<void> check_evolves(const RunView& run, std::string_view verb);

// Asks a run to stop; its process sees that within a second. Fails with
// FailedPrecondition unless it is queued or running.
Result<void> request_stop(RunCatalog& catalog, const RunView& run,
                          const std::string& by);

// Removes a run and its events from the journal; its folder stays. Fails with
// FailedPrecondition while it runs.
Result<void> remove_run(RunCatalog& catalog, const RunView& run);

}  // namespace lamarck::runs
