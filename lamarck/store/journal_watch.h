// Detects what other processes append to a journal.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::store {

// Thread safety: `poll` from one thread at a time, `note_own` from any.
class JournalWatch {
 public:
  virtual ~JournalWatch() = default;

  // Records that this process appended and the run's head is now `head`.
  virtual void note_own(const std::string& run, std::uint64_t head) = 0;

  struct Change {
    std::string run;
    bool is_new_run = false;

    friend bool operator==(const Change&, const Change&) = default;
  };
  // Returns, once, the runs whose last event is from another process. A change
  // that one call sees is returned by the next one, because our own appends are
  // visible before `note_own`. Costs almost nothing without changes, otherwise
  // one or two microseconds per run. Fails with Unavailable if a file was
  // deleted or replaced, or the server does not answer.
  virtual Result<std::vector<Change>> poll() = 0;
};

// Reports changes from now on. `place` is a file or the URL of a database.
// REQUIRES: it is a journal, already created.
Result<std::unique_ptr<JournalWatch>> open_journal_watch(
    const std::string& place);

}  // namespace lamarck::store
