// Where numbers stand along an axis, and which of them are written there.

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

// From the smallest to the largest of what is finite, never empty: around a
// single number there is some room, and for none it is 0 to 1.
Range range_of(const std::vector<double>& values);
// With that share of its length added on both sides.
Range widened(Range range, double share);

// Multiples of 1, 2 or 5 times a power of ten within the range, at most `most`
// of them. REQUIRES: low < high, both finite, and most >= 2.
std::vector<double> nice_ticks(Range range, std::size_t most);
// One for each tick, all with as many decimals: "0.5", "1.0", "1,500".
std::vector<std::string> tick_labels(const std::vector<double>& ticks);

// A straight way from numbers to places on the paper.
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
