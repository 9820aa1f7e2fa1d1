// Turns Ctrl-C and termination signals into cancellation.
//
// While a scope is alive, the first SIGINT, SIGTERM or SIGHUP cancels its
// token; a second one ends the process immediately.

#pragma once

#include <memory>

#include "lamarck/base/cancel_token.h"

namespace lamarck {

// REQUIRES: at most one scope at a time in a process.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();  // Restores the previous handlers.
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  CancelToken token() const;
  // The first signal received, or 0.
  int signal() const;
  // The conventional exit code of a process ended by `signal`: 128 + signal.
  static int exit_code(int signal) { return 128 + signal; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lamarck
