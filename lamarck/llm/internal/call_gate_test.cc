#include "lamarck/llm/internal/call_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace lamarck::llm::internal {
namespace {

using namespace std::chrono_literals;

TEST(CallGate, LimitsConcurrentCalls) {
  SystemClock clock;
  CallGate gate(3);
  std::atomic<int> inside = 0;
  std::atomic<int> max_inside = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 16; ++i) {
      callers.emplace_back([&] {
        const auto place = gate.enter(Deadline(clock, 60s), {});
        ASSERT_TRUE(place);
        const int now = ++inside;
        int before = max_inside;
        while (before < now && !max_inside.compare_exchange_weak(before, now)) {
        }
        std::this_thread::sleep_for(1ms);
        --inside;
      });
    }
  }
  EXPECT_LE(max_inside, 3);
  EXPECT_GE(max_inside, 1);
}

TEST(CallGate, TimesOutAtDeadline) {
  SystemClock clock;
  CallGate gate(1);
  const auto place = gate.enter(Deadline(clock, 1s), {});
  const auto late = gate.enter(Deadline(clock, 10ms), {});
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
}

TEST(CallGate, CanBeCancelled) {
  SystemClock clock;
  CallGate gate(1);
  std::optional place = gate.enter(Deadline(clock, 1s), {}).value();
  CancelSource source;
  std::jthread later([&] {
    std::this_thread::sleep_for(10ms);
    source.cancel("enough");
  });
  const auto waiting = gate.enter(Deadline(clock, 1h), source.token());
  EXPECT_EQ(waiting.error(), Error(ErrorCode::Cancelled, "enough"));
  place.reset();
  EXPECT_TRUE(gate.enter(Deadline(clock, 1s), {}));
}

}  // namespace
}  // namespace lamarck::llm::internal
