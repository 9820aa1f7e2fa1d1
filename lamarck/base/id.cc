#include "lamarck/base/id.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lamarck {
namespace {

constexpr std::uint64_t kLowBits = (std::uint64_t{1} << 62) - 1;
constexpr std::uint16_t kHighMask = 0xFFF;

}  // namespace

IdGenerator::IdGenerator(const Clock& clock, Rng rng)
    : clock_(clock), rng_(rng) {}

std::string IdGenerator::next() {
  const auto since = clock_.wall_time().time_since_epoch();
  const auto now = std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
  const std::lock_guard lock(mutex_);
  if (static_cast<std::uint64_t>(now) > millis_) {
    millis_ = static_cast<std::uint64_t>(now);
    // The top bit starts at 0, so the counter can grow before it wraps.
    high_ = static_cast<std::uint16_t>(rng_.bits() & (kHighMask >> 1));
    low_ = rng_.bits() & kLowBits;
  } else {
    // Same millisecond, or the clock went back: count up from the last id. A
    // random step keeps the next id hard to guess.
    low_ += 1 + (rng_.bits() >> 16);
    if (low_ > kLowBits) {
      low_ &= kLowBits;
      ++high_;
    }
    if (high_ > kHighMask) {
      high_ = 0;
      ++millis_;
    }
  }
  return fmt::format("{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
                     (millis_ >> 16) & 0xFFFFFFFF, millis_ & 0xFFFF, high_,
                     0x8000 | (low_ >> 48), low_ & 0xFFFFFFFFFFFF);
}

bool is_id(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    const bool wants_hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (wants_hyphen ? c != '-' : !is_hex) return false;
  }
  return text[14] == '7' && text[19] >= '8' && text[19] <= 'b';
}

std::optional<Clock::WallTime> id_time(std::string_view id) {
  if (!is_id(id)) return std::nullopt;
  const std::string digits =
      std::string(id.substr(0, 8)) + std::string(id.substr(9, 4));
  std::int64_t millis = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), millis, 16);
  return Clock::WallTime(std::chrono::milliseconds(millis));
}

}  // namespace lamarck
