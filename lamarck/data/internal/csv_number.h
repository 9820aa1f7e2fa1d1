// A cell as a number.

#pragma once

#include <cstdint>
#include <string_view>

namespace lamarck::data {

struct CsvNumber {
  enum class Kind : std::uint8_t { None, Number, TooLarge };
  Kind kind = Kind::None;
  double value = 0;
};

// The whole cell, with spaces around it: "-1.5e3", "+2", ".5", "inf". A point
// is the decimal sign whatever the locale. What is too small becomes 0.
CsvNumber read_csv_number(std::string_view cell);

}  // namespace lamarck::data
