#include "lamarck/llm/internal/call_gate.h"

#include <algorithm>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::llm::internal {

CallGate::CallGate(std::size_t places) : free_(places) {
  REQUIRE(places > 0, "CallGate: at least one call must get through");
}

CallGate::Place::Place(Place&& other) noexcept
    : gate_(std::exchange(other.gate_, nullptr)) {}

CallGate::Place::~Place() {
  if (gate_ == nullptr) return;
  {
    const std::lock_guard lock(gate_->mutex_);
    ++gate_->free_;
  }
  gate_->freed_.notify_one();
}

Result<CallGate::Place> CallGate::enter(const Deadline& deadline,
                                        const CancelToken& cancel) {
  RETURN_IF_ERROR(cancel.check());
  std::unique_lock lock(mutex_);
  // Years are enough, and the sum with the present time stays in range.
  constexpr std::chrono::nanoseconds kLongest = std::chrono::hours(87'600);
  freed_.wait_for(lock, cancel.stop_token(),
                  std::clamp(deadline.left(), {}, kLongest),
                  [this] { return free_ > 0; });
  if (cancel.is_cancelled()) {
    // A place that was announced to this call goes to another one.
    freed_.notify_one();
    return cancel.check().error();
  }
  if (free_ == 0) {
    return Error(ErrorCode::Timeout,
                 "The model did not get a turn in time: too many calls run "
                 "already; allow more time, or more calls at once.");
  }
  --free_;
  return Place(this);
}

}  // namespace lamarck::llm::internal
