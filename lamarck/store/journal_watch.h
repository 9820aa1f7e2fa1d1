// Notices what other processes append to a journal's file.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::store {

// Thread safety: `poll` by one thread at a time, `note_own` from any.
class JournalWatch {
 public:
  // REQUIRES: the file is a journal that is open. What is in it is not new.
  static Result<std::unique_ptr<JournalWatch>> open(const std::string& path);
  ~JournalWatch();

  // This process appended: the run's head is now that.
  void note_own(const std::string& run, std::uint64_t head);

  struct Change {
    std::string run;
    bool is_new_run = false;

    friend bool operator==(const Change&, const Change&) = default;
  };
  // The runs whose last event is of another process, told once. What is seen
  // by one call is told by the next, as our own appends are seen before they
  // are noted. Without news it costs next to nothing, with news one or two
  // microseconds for each run. Unavailable if the file was deleted or replaced.
  Result<std::vector<Change>> poll();

 private:
  struct State;
  explicit JournalWatch(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace lamarck::store
