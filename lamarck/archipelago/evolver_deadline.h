// Stops work that is under way when the time of a budget is over.

#pragma once

#include <thread>

#include "lamarck/base/budget.h"
#include "lamarck/base/cancel_token.h"

namespace lamarck::archipelago {

class EvolverDeadline {
 public:
  // Cancels `source` when the time of `budget` is used up, if it has a limit,
  // until it is destroyed. Both outlive it.
  EvolverDeadline(Budget& budget, CancelSource& source);
  ~EvolverDeadline();
  EvolverDeadline(const EvolverDeadline&) = delete;
  EvolverDeadline& operator=(const EvolverDeadline&) = delete;

 private:
  CancelSource done_;
  std::thread thread_;
};

}  // namespace lamarck::archipelago
