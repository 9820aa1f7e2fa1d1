// Parses a cell as a number.

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
  PointOrComma,  // "3,14" is a number too; "1.000,5" is not.
};

// With semicolons as delimiters, a comma may be the decimal sign.
DecimalSign decimal_sign(char delimiter);

// Parses the whole cell, ignoring surrounding spaces: "-1.5e3", "+2", ".5",
// "inf". Does not depend on the locale. Numbers too small for a double become
// 0.
CsvNumber read_csv_number(std::string_view cell,
                          DecimalSign sign = DecimalSign::Point);
// Parses a number with commas between thousands, such as "-1,234,567.8". A
// leading zero, as in "0,500", is not of thousands.
CsvNumber read_grouped_number(std::string_view cell);
// Parses a number with points between thousands and a decimal comma, such as
// "1.234.567,8".
CsvNumber read_number_with_points(std::string_view cell);
// Whether four or more digits follow each other before the point or the end.
bool has_ungrouped_thousands(std::string_view cell);

}  // namespace lamarck::data
