// Whether a path still names the file that was opened.

#pragma once

#include <sys/types.h>

#include <string>

#include "lamarck/base/result.h"

namespace lamarck::store::internal {

// An open file lives on when it is deleted or another one takes its name, but
// what is written to it is lost in the end.
// Thread safety: any member from any thread.
class FileIdentity {
 public:
  // Of the file that is there now, a journal or (path-wal) its log. Without one
  // nothing is ever missed.
  explicit FileIdentity(std::string path);

  // Unavailable if it has been deleted, replaced or emptied.
  Result<void> check() const;
  // Another file has its name.
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
