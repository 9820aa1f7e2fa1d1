#include "lamarck/report/chart_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lamarck/base/display_number.h"
#include "lamarck/base/ensure.h"

namespace lamarck::report {
namespace {

// The difference of two larger numbers may overflow to infinity.
constexpr double kLargest = 1e300;

// Returns the smallest 1, 2 or 5 times a power of ten that is at least `min`.
double nice_step(double min) {
  const double power = std::pow(10, std::floor(std::log10(min)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= min * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Range finite_range(const std::vector<double>& values) {
  Range range{kLargest, -kLargest};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::clamp(value, -kLargest, range.low);
    range.high = std::clamp(value, range.high, kLargest);
  }
  if (range.low > range.high) return {};
  // Almost equal values would give ticks that differ only by rounding errors.
  const double min_length = std::max(std::abs(range.low), 1e-9) * 1e-9;
  if (range.high - range.low > min_length) return range;
  const double half = range.low == 0 ? 0.5 : std::abs(range.low) / 10;
  return {range.low - half, range.high + half};
}

Range widened(Range range, double share) {
  const double margin = (range.high - range.low) * share;
  return {range.low - margin, range.high + margin};
}

std::vector<double> nice_ticks(Range range, std::size_t max_count) {
  REQUIRE(range.low < range.high && std::isfinite(range.high - range.low),
          "nice_ticks: the range must be finite and not empty, got [{}, {}].",
          range.low, range.high);
  REQUIRE(max_count >= 2, "nice_ticks: max_count must be at least 2, got {}.",
          max_count);
  const double length = range.high - range.low;
  double step = nice_step(length / static_cast<double>(max_count));
  std::vector<double> ticks;
  for (;;) {
    const double first = std::ceil(range.low / step - 1e-9);
    const double last = std::floor(range.high / step + 1e-9);
    // A range can contain one tick more than its length divided by the step;
    // then the next larger step is used.
    if (last - first + 1 > static_cast<double>(max_count)) {
      step = nice_step(step * 1.01);
      continue;
    }
    for (double i = first; i <= last; ++i) ticks.push_back(i * step);
    return ticks;
  }
}

std::vector<std::string> tick_labels(const std::vector<double>& ticks) {
  std::vector<std::string> labels;
  double largest = 0;
  for (const double tick : ticks) largest = std::max(largest, std::abs(tick));
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : largest;
  const bool is_plain = largest < 1e7 && step >= 1e-4;
  const double power = step > 0 ? std::floor(std::log10(step) + 1e-9) : 0;
  const int decimals = static_cast<int>(std::clamp(-power, 0.0, 4.0));
  for (const double tick : ticks) {
    // Avoids labels such as -0.0 and 1e-17.
    const double value = std::abs(tick) < step * 1e-6 ? 0 : tick;
    if (!is_plain) {
      labels.push_back(short_number(value));
    } else if (decimals == 0) {
      labels.push_back(grouped_digits(std::llround(value)));
    } else {
      labels.push_back(fmt::format("{:.{}f}", value, decimals));
    }
  }
  return labels;
}

}  // namespace lamarck::report
