#include "lamarck/llm/internal/call_gate.h"

#include <algorithm>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::llm::internal {

CallGate::CallGate(std::size_t places) : free_(places) {
  REQUIRE(places > 0, "CallGate: places must be at least 1, got {}.", places);
}

CallGate::Slot::Slot(Slot&& other) noexcept
    : gate_(std::exchange(other.gate_, nullptr)) {}

CallGate::Slot::~Slot() {
  if (gate_ == nullptr) return;
  {
    const std::lock_guard lock(gate_->mutex_);
    ++gate_->free_;
  }
  gate_->freed_.notify_one();
}

Result<CallGate::Slot> CallGate::enter(const Deadline& deadline,
                                       const CancelToken& cancel) {
  RETURN_IF_ERROR(cancel.check());
  std::unique_lock lock(mutex_);
  // Ten years are enough, and adding them to the current time cannot overflow.
  constexpr std::chrono::nanoseconds kMaxWait = std::chrono::hours(87'600);
  freed_.wait_for(lock, cancel.stop_token(),
                  std::clamp(deadline.left(), {}, kMaxWait),
                  [this] { return free_ > 0; });
  if (cancel.is_cancelled()) {
    // This call may have consumed a notification; pass it on to another one.
    freed_.notify_one();
    return cancel.check().error();
  }
  if (free_ == 0) {
    return Error(ErrorCode::Timeout,
                 "Timed out waiting for a free slot, because too many calls to "
                 "the model are running; increase the timeout or the number of "
                 "concurrent calls.");
  }
  --free_;
  return Slot(this);
}

}  // namespace lamarck::llm::internal
