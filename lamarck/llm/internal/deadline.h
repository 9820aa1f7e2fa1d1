// A point in time by which a call must be finished.

#pragma once

#include <chrono>

#include "lamarck/base/clock.h"

namespace lamarck::llm::internal {

class Deadline {
 public:
  // `clock` must outlive the deadline.
  Deadline(Clock& clock, std::chrono::nanoseconds duration)
      : clock_(&clock), moment_(clock.elapsed() + duration) {}

  std::chrono::nanoseconds left() const { return moment_ - clock_->elapsed(); }
  bool has_passed() const { return left() <= std::chrono::nanoseconds(0); }
  Clock& clock() const { return *clock_; }

 private:
  Clock* clock_;
  std::chrono::nanoseconds moment_;
};

}  // namespace lamarck::llm::internal
