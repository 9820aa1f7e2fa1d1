// Ranges, ticks and scales of chart axes.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lamarck::report {

struct Range {
  double low = 0;
  double high = 1;

  friend bool operator==(const Range&, const Range&) = default;
};

// Returns the range of the finite values. It is never empty: a single value
// gets some space on both sides, and without finite values the range is 0 to 1.
Range finite_range(const std::vector<double>& values);

// Extends the range by `share` of its length on both sides.
Range widened(Range range, double share);

// Returns at most `max_count` ticks within the range: multiples of a step that
// is 1, 2 or 5 times a power of ten.
//
// REQUIRES: low < high, both finite, and max_count >= 2.
std::vector<double> nice_ticks(Range range, std::size_t max_count);

// Returns a label for each tick, such as "0.5", "1.0" or "1,500". All have the
// same number of decimals.
std::vector<std::string> tick_labels(const std::vector<double>& ticks);

// A linear map from a range of values to coordinates.
class Scale {
 public:
  Scale(Range range, double from, double to)
      : range_(range), from_(from), to_(to) {}

  double place(double value) const {
    const double share = (value - range_.low) / (range_.high - range_.low);
    return from_ + share * (to_ - from_);
  }
  bool contains(double value) const {
    return value >= range_.low && value <= range_.high;
  }
  const Range& range() const { return range_; }

 private:
  Range range_;
  double from_;
  double to_;
};

}  // namespace lamarck::report
