// Reads lines from a file descriptor and stops waiting when it is cancelled.

#pragma once

#include <optional>
#include <string>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"

namespace lamarck::cli {

// Owned by one thread at a time.
class LineInput {
 public:
  explicit LineInput(int descriptor) : descriptor_(descriptor) {}

  // The next line without its end, or nullopt at the end of the input. Fails
  // with Cancelled, and with InvalidArgument for a line over a megabyte.
  Result<std::optional<std::string>> next(const CancelToken& cancel);

 private:
  int descriptor_;
  std::string buffer_;  // Not returned yet.
  bool has_ended_ = false;
};

}  // namespace lamarck::cli
