// Pieces of text that several reports share.

#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

namespace lamarck::report {

// "1 row", "2 rows".
std::string counted(auto count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}
// With four significant digits.
std::string short_number(double value);
// A line of a list: the name, then the value in a column of its own.
std::string labelled_row(std::string_view name, const std::string& value);
// The text as a block of code in HTML.
std::string html_code_block(std::string_view text);

double seconds_of(std::chrono::nanoseconds time);

}  // namespace lamarck::report
