// What a run looked like after one of its events: the network or the laws of
// that moment. It is a fold of the journal, so any moment can be shown.

#pragma once

#include <cstdint>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/runs/run_catalog.h"

namespace lamarck::runs {

// The state after event `at`, or after the last one if `at` is 0 or beyond it.
Result<Json> run_state_view(RunCatalog& catalog, const RunView& run,
                            std::uint64_t at);

}  // namespace lamarck::runs
