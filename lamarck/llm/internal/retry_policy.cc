#include "lamarck/llm/internal/retry_policy.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lamarck::llm::internal {

bool is_worth_retrying(const HttpOutcome& outcome) {
  if (outcome.ending == HttpEnding::NotConnected) return true;
  if (outcome.ending != HttpEnding::Complete) return false;
  if (outcome.status == 429) {
    return outcome.failed_body.find("insufficient_quota") == std::string::npos;
  }
  return outcome.status >= 500 && outcome.status <= 599;
}

std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view text) {
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, seconds);
  constexpr double kMaxSeconds = 1e9;
  if (status != std::errc() || stop != end || !(seconds >= 0) ||
      seconds > kMaxSeconds) {
    return std::nullopt;
  }
  return std::chrono::milliseconds(std::llround(std::ceil(seconds * 1000)));
}

std::chrono::milliseconds pause_after(
    int attempt, std::chrono::milliseconds first,
    std::optional<std::chrono::milliseconds> retry_after, Rng& rng) {
  const auto base = static_cast<double>(first.count());
  if (retry_after) {
    return *retry_after + std::chrono::milliseconds(std::llround(
                              rng.uniform(0, std::max(base, 1.0)) / 2));
  }
  constexpr double kMaxPause = 30'000;
  const double doubled = std::min(std::ldexp(base, attempt - 1), kMaxPause);
  return std::chrono::milliseconds(
      std::llround(doubled * rng.uniform(0.5, 1.0)));
}

}  // namespace lamarck::llm::internal
