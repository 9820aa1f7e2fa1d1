// Limits the number of concurrent calls.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "lamarck/base/cancel_token.h"
#include "lamarck/llm/internal/deadline.h"

namespace lamarck::llm::internal {

// Thread safety: all members may be called from any thread.
class CallGate {
 public:
  // REQUIRES: places > 0.
  explicit CallGate(std::size_t places);

  // Held by a call while it runs; its destructor frees the place.
  class Slot {
   public:
    explicit Slot(CallGate* gate) : gate_(gate) {}
    Slot(Slot&& other) noexcept;
    Slot& operator=(Slot&&) = delete;
    ~Slot();

   private:
    CallGate* gate_;  // Null once moved from.
  };

  // Waits for a free place. Fails with Timeout at the deadline and with
  // Cancelled if `cancel` is triggered.
  Result<Slot> enter(const Deadline& deadline, const CancelToken& cancel);

 private:
  std::mutex mutex_;
  std::size_t free_;  // Guarded by mutex_.
  std::condition_variable_any freed_;
};

}  // namespace lamarck::llm::internal
