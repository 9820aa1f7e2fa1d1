// Time as an argument, so that tests can control it.

#pragma once

#include <chrono>
#include <mutex>

#include "lamarck/base/cancel_token.h"

namespace lamarck {

// Thread safety: all members of both clocks may be called from any thread.
class Clock {
 public:
  using WallTime = std::chrono::time_point<std::chrono::system_clock,
                                           std::chrono::microseconds>;

  virtual ~Clock() = default;

  // The date and time; may jump when the system clock is set.
  virtual WallTime wall_time() const = 0;
  // Monotonic time since an arbitrary start; use it to measure durations.
  virtual std::chrono::nanoseconds elapsed() const = 0;
  // Returns true, possibly early, if `cancel` is cancelled.
  virtual bool sleep_for(std::chrono::nanoseconds duration,
                         const CancelToken& cancel) = 0;
};

class SystemClock : public Clock {
 public:
  WallTime wall_time() const override;
  std::chrono::nanoseconds elapsed() const override;
  bool sleep_for(std::chrono::nanoseconds duration,
                 const CancelToken& cancel) override;
};

// A clock for tests: moves only by `advance` and `sleep_for`.
class ManualClock : public Clock {
 public:
  explicit ManualClock(WallTime start = WallTime{});

  WallTime wall_time() const override;
  std::chrono::nanoseconds elapsed() const override;
  bool sleep_for(std::chrono::nanoseconds duration,
                 const CancelToken& cancel) override;

  void advance(std::chrono::nanoseconds duration);
  // Sets the date like a change of the system clock; `elapsed` is unaffected.
  void set_wall_time(WallTime time);

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  WallTime wall_time_;
  std::chrono::nanoseconds elapsed_{0};
};

// "2026-07-28T09:30:00.250Z".
std::string to_iso8601(Clock::WallTime time);

// For people: "350 ms", "4.2 s", "2 min 5 s", "3 h 20 min", "2 d 4 h". A
// negative duration is "0 ms".
std::string to_readable(std::chrono::nanoseconds duration);

}  // namespace lamarck
