#include "lamarck/llm/internal/retry_policy.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lamarck::llm::internal {
namespace {

using namespace std::chrono_literals;

TEST(RetryPolicy, RetriesOnlyTransientFailures) {
  for (const long status : {429L, 500L, 502L, 503L, 529L}) {
    EXPECT_TRUE(is_worth_retrying({.status = status})) << status;
  }
  for (const long status : {200L, 301L, 400L, 401L, 404L, 408L, 422L}) {
    EXPECT_FALSE(is_worth_retrying({.status = status})) << status;
  }
  EXPECT_TRUE(is_worth_retrying({.ending = HttpEnding::NotConnected}));
  EXPECT_FALSE(is_worth_retrying({.ending = HttpEnding::Broken}));
  EXPECT_FALSE(is_worth_retrying({.ending = HttpEnding::TimedOut}));
  EXPECT_FALSE(is_worth_retrying(
      {.status = 429, .failed_body = R"({"code": "insufficient_quota"})"}));
}

TEST(RetryPolicy, ParsesSecondsOnly) {
  EXPECT_EQ(parse_retry_after("2"), 2000ms);
  EXPECT_EQ(parse_retry_after("0.25"), 250ms);
  for (const char* wrong : {"", "soon", "-1", "nan", "1e300", "5 s",
                            "Wed, 21 Oct 2026 07:28:00 GMT"}) {
    EXPECT_EQ(parse_retry_after(wrong), std::nullopt) << wrong;
  }
}

TEST(RetryPolicy, PauseDoublesUpToLimit) {
  Rng rng(1);
  for (int attempt = 1; attempt < 60; ++attempt) {
    const auto pause = pause_after(attempt, 100ms, std::nullopt, rng);
    const double max = std::min(std::ldexp(100.0, attempt - 1), 30'000.0);
    EXPECT_GE(pause.count(), max / 2 - 1) << attempt;
    EXPECT_LE(pause.count(), max) << attempt;
  }
}

TEST(RetryPolicy, HonorsRetryAfter) {
  Rng rng(1);
  for (int attempt = 1; attempt < 10; ++attempt) {
    const auto pause = pause_after(attempt, 100ms, 3s, rng);
    EXPECT_GE(pause, 3000ms);
    EXPECT_LE(pause, 3050ms);
  }
  EXPECT_GE(pause_after(1, 0ms, 3s, rng), 3s);
}

}  // namespace
}  // namespace lamarck::llm::internal
