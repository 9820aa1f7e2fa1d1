#include "lamarck/base/clock.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

using namespace std::chrono_literals;

TEST(ManualClock, MovesOnlyByAdvance) {
  ManualClock clock;
  EXPECT_EQ(clock.elapsed(), 0ns);
  clock.advance(5s);
  EXPECT_EQ(clock.elapsed(), 5s);
  EXPECT_EQ(clock.wall_time().time_since_epoch(), 5s);
}

TEST(ManualClock, SleepAdvancesUnlessCancelled) {
  ManualClock clock;
  CancelSource source;
  EXPECT_FALSE(clock.sleep_for(1h, source.token()));
  EXPECT_EQ(clock.elapsed(), 1h);
  source.cancel("enough");
  EXPECT_TRUE(clock.sleep_for(1h, source.token()));
  EXPECT_EQ(clock.elapsed(), 1h);
}

TEST(ManualClock, SettingDateDoesNotChangeElapsed) {
  ManualClock clock;
  clock.set_wall_time(Clock::WallTime(1000h));
  EXPECT_EQ(clock.elapsed(), 0ns);
}

TEST(SystemClock, NeverGoesBack) {
  SystemClock clock;
  auto last = clock.elapsed();
  for (int i = 0; i < 1000; ++i) {
    const auto now = clock.elapsed();
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(SystemClock, CancelledSleepReturnsImmediately) {
  SystemClock clock;
  CancelSource source;
  source.cancel("stop");
  EXPECT_TRUE(clock.sleep_for(1h, source.token()));
}

TEST(Clock, FormatsTimesAndDurations) {
  EXPECT_EQ(to_iso8601(Clock::WallTime(1'785'230'100'250'000us)),
            "2026-07-28T09:15:00.250Z");
  EXPECT_EQ(to_iso8601(Clock::WallTime(-1us)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(to_readable(350ms), "350 ms");
  EXPECT_EQ(to_readable(4200ms), "4.2 s");
  EXPECT_EQ(to_readable(125s), "2 min 5 s");
  EXPECT_EQ(to_readable(200min), "3 h 20 min");
  EXPECT_EQ(to_readable(52h), "2 d 4 h");
  EXPECT_EQ(to_readable(999'700us), "1.0 s");
  EXPECT_EQ(to_readable(59'990ms), "1 min 0 s");
  EXPECT_EQ(to_readable(-5s), "0 ms");
}

}  // namespace
}  // namespace lamarck
