// Ctrl-C that keeps what was achieved.
//
// While a scope lives, the first SIGINT, SIGTERM or SIGHUP cancels its token,
// and a second one ends the process at once.

#pragma once

#include <memory>

#include "lamarck/base/cancel_token.h"

namespace lamarck {

// REQUIRES: at most one scope at a time in a process.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();  // Puts the former handlers back.
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  CancelToken token() const;
  // 0 while nothing arrived.
  int signal() const;
  // What a shell expects of a process that ended so: 128 + signal.
  static int exit_code(int signal) { return 128 + signal; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lamarck
