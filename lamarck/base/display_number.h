// Numbers as people read them, in reports and progress lines.

#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace lamarck {

// Formats with `digits` significant digits: "0.1235", "1.2e-07", "nan".
inline std::string short_number(double value, int digits = 4) {
  return fmt::format("{:.{}g}", value, digits);
}

// Formats a number as "1,234,567".
inline std::string grouped_digits(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace lamarck
