// Cancels work in progress when a budget runs out of wall time.

#pragma once

#include <thread>

#include "lamarck/base/budget.h"
#include "lamarck/base/cancel_token.h"

namespace lamarck::archipelago {

class EvolverDeadline {
 public:
  // Watches `budget` in a thread until destruction and cancels `source` once
  // the wall time is used up. Does nothing if there is no time limit. Both
  // arguments must outlive this object.
  EvolverDeadline(Budget& budget, CancelSource& source);
  ~EvolverDeadline();
  EvolverDeadline(const EvolverDeadline&) = delete;
  EvolverDeadline& operator=(const EvolverDeadline&) = delete;

 private:
  CancelSource done_;
  std::thread thread_;
};

}  // namespace lamarck::archipelago
