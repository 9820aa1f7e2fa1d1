// Whether the current step of a crew was abandoned.

#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "lamarck/base/cancel_token.h"

namespace lamarck::crew {

// Thread safety: all members may be called from any thread.
class Abandonment {
 public:
  bool is_set() const { return is_set_; }
  // Cancelled by the next call of `set`.
  CancelToken token() const;

  void set();
  // Later tokens are not cancelled.
  void clear();

 private:
  std::atomic<bool> is_set_ = false;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::unique_ptr<CancelSource> source_ = std::make_unique<CancelSource>();
};

}  // namespace lamarck::crew
