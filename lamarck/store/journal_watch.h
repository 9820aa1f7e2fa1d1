// Detects what other processes append to a journal file.

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
  // Reports changes from now on. REQUIRES: the file is a journal, already
  // created.
  static Result<std::unique_ptr<JournalWatch>> open(const std::string& path);
  ~JournalWatch();

  // Records that this process appended and the run's head is now `head`.
  void note_own(const std::string& run, std::uint64_t head);

  struct Change {
    std::string run;
    bool is_new_run = false;

    friend bool operator==(const Change&, const Change&) = default;
  };
  // Returns, once, the runs whose last event is from another process. A change
  // that one call sees is returned by the next one, because our own appends are
  // visible before `note_own`. Costs almost nothing without changes, otherwise
  // one or two microseconds per run. Fails with Unavailable if the file was
  // deleted or replaced.
  Result<std::vector<Change>> poll();

 private:
  struct State;
  explicit JournalWatch(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace lamarck::store
