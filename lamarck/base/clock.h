// Time as an argument, so that a test can hold it still.

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

  // The date and time; may jump when the machine's clock is set.
  virtual WallTime wall_time() const = 0;
  // Time since some fixed moment; never goes back. For measuring durations.
  virtual std::chrono::nanoseconds elapsed() const = 0;
  // Returns early, with true, when `cancel` is cancelled.
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

// Stands still until told otherwise; whoever sleeps on it advances it.
class ManualClock : public Clock {
 public:
  explicit ManualClock(WallTime start = WallTime{});

  WallTime wall_time() const override;
  std::chrono::nanoseconds elapsed() const override;
  bool sleep_for(std::chrono::nanoseconds duration,
                 const CancelToken& cancel) override;

  void advance(std::chrono::nanoseconds duration);
  // Sets the date as an operator would; `elapsed` is not touched.
  void set_wall_time(WallTime time);

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  WallTime wall_time_;
  std::chrono::nanoseconds elapsed_{0};
};

// "2026-07-28T09:30:00.250Z".
std::string to_iso8601(Clock::WallTime time);

// For people, in the largest fitting unit: "350 ms", "4.2 s", "2 min 5 s",
// "3 h 20 min", "2 d 4 h"; a negative one is "0 ms".
std::string to_readable(std::chrono::nanoseconds duration);

}  // namespace lamarck
