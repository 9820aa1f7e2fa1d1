// Detects that a path no longer names the file that was opened.

#pragma once

#include <sys/types.h>

#include <string>

#include "lamarck/base/result.h"

namespace lamarck::store::internal {

// A file that is deleted or replaced while open still accepts writes, but they
// are lost when it is closed.
// Thread safety: all members may be called from any thread.
class FileIdentity {
 public:
  // Remembers the file now at `path`: a journal, or its log (path-wal). If
  // there is none, `check` always succeeds.
  explicit FileIdentity(std::string path);

  // Fails with Unavailable if the file was deleted, replaced or emptied.
  Result<void> check() const;
  // Whether another file has taken the name.
  bool is_replaced() const { return state() == State::Replaced; }

 private:
  enum class State { Same, Deleted, Replaced, Emptied };
  State state() const;

  const std::string path_;
  bool is_known_ = false;
  bool was_empty_ = false;
  dev_t device_ = 0;
  ino_t number_ = 0;
};

}  // namespace lamarck::store::internal
