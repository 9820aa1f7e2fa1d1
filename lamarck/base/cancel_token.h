// Asking work to stop: a source asks, tokens hear.

#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "lamarck/base/result.h"

namespace lamarck {

// Cheap to copy. A default token is never cancelled.
// Thread safety: any member from any thread.
class CancelToken {
 public:
  CancelToken() = default;

  bool is_cancelled() const { return stop_.stop_requested(); }
  // Why it was cancelled; empty while it is not.
  std::string reason() const;
  // An error of code Cancelled that gives the reason, once it is cancelled.
  Result<void> check() const;
  // Waits and returns whether it is cancelled; at once if it already is.
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

// Thread safety: any member from any thread.
class CancelSource {
 public:
  CancelSource();
  // Is cancelled when `parent` is, and can be cancelled alone.
  explicit CancelSource(const CancelToken& parent);
  ~CancelSource();
  CancelSource(const CancelSource&) = delete;
  CancelSource& operator=(const CancelSource&) = delete;

  CancelToken token() const;
  // The first reason counts.
  void cancel(std::string reason);

 private:
  struct ParentLink;

  std::stop_source stop_;
  std::shared_ptr<CancelToken::Reason> reason_;
  std::unique_ptr<ParentLink> parent_;  // Null without a parent.
};

}  // namespace lamarck
