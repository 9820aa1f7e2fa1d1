// Collects the progress of an evolution of programs for the journal.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/base/clock.h"
#include "lamarck/runs/run_recorder.h"

namespace lamarck::runs {

// Thread safety: all members may be called from any thread.
class ProgramSource final : public RunSource {
 public:
  // `clock` must outlive the object.
  explicit ProgramSource(Clock& clock);

  void note(const archipelago::CycleEnded::Payload& cycle);
  void note(const archipelago::FunctionPtr& added);
  void collect(std::vector<RunEvent>& events) override;

 private:
  struct Snapshot {
    archipelago::EvolverCounts counts;
    archipelago::FunctionPtr best;
    std::vector<double> islands;
    std::chrono::nanoseconds elapsed{0};
  };
  Json lineage(archipelago::FunctionPtr fn) const;

  Clock& clock_;
  const std::chrono::nanoseconds began_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::optional<Snapshot> pending_;
  std::map<std::uint64_t, archipelago::FunctionPtr> functions_;
  std::uint64_t last_best_ = 0;
};

}  // namespace lamarck::runs
