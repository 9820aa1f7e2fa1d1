// Turns Ctrl-C and termination signals into cancellation.
//
// While a scope is alive, the first SIGINT, SIGTERM or SIGHUP cancels its
// token; a second one ends the process immediately, whatever its threads do.

#pragma once

#include <memory>
#include <string>

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
  // What happened, such as "Received SIGTERM".
  static std::string describe(int signal);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// While one is alive, the first signal ends the process at once: for work that
// cannot be cancelled and leaves nothing behind, such as reading a large file.
// Has an effect only within an InterruptScope. Guards do not nest.
class QuitOnInterrupt {
 public:
  // Prints `message` to standard error when a signal arrives, or now if one
  // arrived earlier in the scope. It must be a literal that ends with a
  // newline.
  explicit QuitOnInterrupt(const char* message);
  ~QuitOnInterrupt();
  QuitOnInterrupt(const QuitOnInterrupt&) = delete;
  QuitOnInterrupt& operator=(const QuitOnInterrupt&) = delete;
};

}  // namespace lamarck
