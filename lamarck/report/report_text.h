// Text helpers shared by several reports.

#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

namespace lamarck::report {

// Returns "1 row" or "2 rows".
std::string counted(auto count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}
std::string counted(auto count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// One line of a list, with the value in a column after the name.
std::string labelled_row(std::string_view name, const std::string& value);

// The text as an HTML code block, escaped.
std::string html_code_block(std::string_view text);

double seconds_of(std::chrono::nanoseconds time);

}  // namespace lamarck::report
