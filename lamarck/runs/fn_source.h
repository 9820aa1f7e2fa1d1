// Collects the progress of a search for laws for the journal.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/law/law_search.h"
#include "lamarck/runs/run_recorder.h"

namespace lamarck::runs {

// Thread safety: all members may be called from any thread.
class FnSource final : public RunSource {
 public:
  // `clock` must outlive the object.
  explicit FnSource(Clock& clock);

  // Takes a few nanoseconds, except a few times per second, when it copies the
  // front.
  void note(const law::LawProgress& progress);
  // The front after the search, with the law that it recommends.
  void note(const law::LawSearchResult& result, double seconds);
  void collect(std::vector<RunEvent>& events) override;

 private:
  struct Snapshot {
    bool is_final = false;      // Its numbers are those of the recommended law.
    law::LawProgress progress;  // Without pointers.
    std::vector<law::Law> front;
    std::size_t chosen = 0;
    std::vector<law::LawAncestor> lineage;
  };
  RunEvent front_event(const Snapshot& snapshot) const;

  Clock& clock_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::optional<Snapshot> pending_;
  // What the result replaced before it was collected.
  std::optional<law::LawProgress> uncollected_;
  bool has_front_ = false;  // Whether the pending front is new.
  std::vector<std::uint64_t> last_ids_;
  std::chrono::nanoseconds next_{0};
};

}  // namespace lamarck::runs
