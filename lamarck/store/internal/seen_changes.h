// The changes of a journal that were seen but not reported yet, without those
// of this process.

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lamarck/store/journal_watch.h"

namespace lamarck::store::internal {

// Thread safety: `note_own` from any thread, the rest from one at a time.
class SeenChanges {
 public:
  void note_own(const std::string& run, std::uint64_t head);

  void add(std::string run, std::uint64_t head, bool is_new_run);
  // Returns what was added and is not our own, and forgets it.
  std::vector<JournalWatch::Change> take();
  void clear() { seen_.clear(); }

 private:
  struct RunChange {
    bool is_new_run = false;
    std::uint64_t head = 0;
  };
  std::map<std::string, RunChange> seen_;

  std::mutex mutex_;
  // Heads of own appends. Guarded by mutex_.
  std::map<std::string, std::uint64_t> own_;
};

}  // namespace lamarck::store::internal
