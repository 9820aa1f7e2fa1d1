// Cooperative cancellation: a CancelSource requests it, CancelTokens observe
// it.

#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "lamarck/base/result.h"

namespace lamarck {

// Cheap to copy. A default token is never cancelled.
// Thread safety: all members may be called from any thread.
class CancelToken {
 public:
  CancelToken() = default;

  bool is_cancelled() const { return stop_.stop_requested(); }
  // The reason of the cancellation; empty while not cancelled.
  std::string reason() const;
  // Fails with Cancelled and the reason once cancelled.
  Result<void> check() const;
  // Waits for `duration` or until cancelled; returns whether it is cancelled.
  bool wait_for(std::chrono::nanoseconds duration) const;
  // For std::stop_callback and std::condition_variable_any.
  const std::stop_token& stop_token() const { return stop_; }

 private:
  friend class CancelSource;
  struct Reason;
  CancelToken(std::stop_token stop, std::shared_ptr<const Reason> reason);

  std::stop_token stop_;
  std::shared_ptr<const Reason> reason_;
};

// Thread safety: all members may be called from any thread.
class CancelSource {
 public:
  CancelSource();
  // Cancelled together with `parent`; can also be cancelled alone.
  explicit CancelSource(const CancelToken& parent);
  ~CancelSource();
  CancelSource(const CancelSource&) = delete;
  CancelSource& operator=(const CancelSource&) = delete;

  CancelToken token() const;
  // Only the first call's reason is kept; an empty one becomes "Cancelled.".
  void cancel(std::string reason);

 private:
  struct ParentLink;

  std::stop_source stop_;
  std::shared_ptr<CancelToken::Reason> reason_;
  std::unique_ptr<ParentLink> parent_;  // Null without a parent.
};

}  // namespace lamarck
