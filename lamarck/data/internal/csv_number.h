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

enum class DecimalSign : std::uint8_t {
  Point,
  PointOrComma,  // "3,14" is a number too; "1.000,5" is none.
};

// In files with semicolons a comma may be the decimal sign.
DecimalSign decimal_sign(char delimiter);

// The whole cell, with spaces around it: "-1.5e3", "+2", ".5", "inf". The
// decimal sign is the same whatever the locale. What is too small becomes 0.
CsvNumber read_csv_number(std::string_view cell,
                          DecimalSign sign = DecimalSign::Point);

}  // namespace lamarck::data
