#include "lamarck/base/cancel_token.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace lamarck {

struct CancelToken::Reason {
  mutable std::mutex mutex;
  std::string text;  // Guarded by mutex.
};

CancelToken::CancelToken(std::stop_token stop,
                         std::shared_ptr<const Reason> reason)
    : stop_(std::move(stop)), reason_(std::move(reason)) {}

std::string CancelToken::reason() const {
  if (reason_ == nullptr) return "";
  const std::lock_guard lock(reason_->mutex);
  return reason_->text;
}

Result<void> CancelToken::check() const {
  if (!is_cancelled()) return {};
  return Error(ErrorCode::Cancelled, reason());
}

bool CancelToken::wait_for(std::chrono::nanoseconds duration) const {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  // now + nanoseconds::max() would overflow the clock; ten years are enough.
  constexpr std::chrono::nanoseconds kMaxWait = std::chrono::hours(87'600);
  woken.wait_for(lock, stop_, std::min(duration, kMaxWait),
                 [] { return false; });
  return is_cancelled();
}

struct CancelSource::ParentLink {
  ParentLink(const CancelToken& parent, CancelSource& child)
      : callback(parent.stop_token(),
                 [&child, parent] { child.cancel(parent.reason()); }) {}

  std::stop_callback<std::function<void()>> callback;
};

CancelSource::CancelSource()
    : reason_(std::make_shared<CancelToken::Reason>()) {}

CancelSource::CancelSource(const CancelToken& parent) : CancelSource() {
  parent_ = std::make_unique<ParentLink>(parent, *this);
}

CancelSource::~CancelSource() = default;

CancelToken CancelSource::token() const { return {stop_.get_token(), reason_}; }

void CancelSource::cancel(std::string reason) {
  {
    // Set the reason before the stop request makes the cancellation visible.
    const std::lock_guard lock(reason_->mutex);
    if (reason_->text.empty()) {
      reason_->text = reason.empty() ? "Cancelled." : std::move(reason);
    }
  }
  stop_.request_stop();
}

}  // namespace lamarck
