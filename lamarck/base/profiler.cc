#include "lamarck/base/profiler.h"

#include "lamarck/base/log.h"

namespace lamarck::internal {

void log_profiler_failure(std::string_view what) {
  log_warning("Ignored an exception from a profiler function: " +
              std::string(what));
}

}  // namespace lamarck::internal
