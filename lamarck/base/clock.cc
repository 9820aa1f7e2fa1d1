#include "lamarck/base/clock.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace lamarck {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

Clock::WallTime SystemClock::wall_time() const {
  return std::chrono::time_point_cast<microseconds>(
      std::chrono::system_clock::now());
}

nanoseconds SystemClock::elapsed() const {
  return std::chrono::steady_clock::now().time_since_epoch();
}

bool SystemClock::sleep_for(nanoseconds duration, const CancelToken& cancel) {
  return cancel.wait_for(duration);
}

ManualClock::ManualClock(WallTime start) : wall_time_(start) {}

Clock::WallTime ManualClock::wall_time() const {
  const std::lock_guard lock(mutex_);
  return wall_time_;
}

nanoseconds ManualClock::elapsed() const {
  const std::lock_guard lock(mutex_);
  return elapsed_;
}

bool ManualClock::sleep_for(nanoseconds duration, const CancelToken& cancel) {
  if (cancel.is_cancelled()) return true;
  advance(duration);
  return false;
}

void ManualClock::advance(nanoseconds duration) {
  const std::lock_guard lock(mutex_);
  elapsed_ += duration;
  wall_time_ += duration_cast<microseconds>(duration);
}

void ManualClock::set_wall_time(WallTime time) {
  const std::lock_guard lock(mutex_);
  wall_time_ = time;
}

std::string to_iso8601(Clock::WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto millis =
      duration_cast<std::chrono::milliseconds>(time - seconds).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     millis);
}

std::string to_readable(nanoseconds duration) {
  if (duration < nanoseconds::zero()) return "0 ms";
  const double seconds = std::chrono::duration<double>(duration).count();
  // The bounds leave no room to round up to "1000 ms" or "60.0 s".
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::chrono::round<std::chrono::seconds>(duration).count();
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  const auto minutes = whole / 60;
  if (whole < 86400) {
    return fmt::format("{} h {} min", minutes / 60, minutes % 60);
  }
  return fmt::format("{} d {} h", minutes / 1440, minutes % 1440 / 60);
}

}  // namespace lamarck
