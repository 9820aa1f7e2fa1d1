// The end of a law search: its laws are polished and the best is chosen.

#pragma once

#include <chrono>
#include <optional>

#include "lamarck/base/clock.h"
#include "lamarck/law/internal/law_recorder.h"

namespace lamarck::law {

inline constexpr const char* kExactReason =
    "An exact law was found, and as many evaluations again found no shorter "
    "one.";

struct RunTime {
  std::optional<std::chrono::milliseconds> budget;  // nullopt: no limit.
  std::chrono::nanoseconds spent{0};
  Clock& clock;
};

// Sets the front, the best law and its lineage. Laws that are not polished
// before `cancel` stay as they are.
void polish_front(LawSearchResult& result, const LawRecorder& recorder,
                  const gp::RegressionProblem& problem,
                  const CancelToken& cancel);

// The same within the rest of the time budget and a bit more. If `cancel` is
// cancelled already, half a second is left.
void polish_in_time(LawSearchResult& result, const LawRecorder& recorder,
                    const gp::RegressionProblem& problem, const RunTime& time,
                    const CancelToken& cancel);

}  // namespace lamarck::law
