#include "lamarck/data/internal/csv_number.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

namespace lamarck::data {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_spaces(std::string_view cell) {
  while (!cell.empty() && is_space(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && is_space(cell.back())) cell.remove_suffix(1);
  return cell;
}

// Whether a number that no double holds is too large, not too small: whether
// its first digit that is not 0 stands before the point, once the exponent has
// moved that. REQUIRES: digits, with a point and an exponent or without.
bool is_large(std::string_view number) {
  std::int64_t first_digit = 0;  // Its power of ten, before the exponent.
  bool has_digit = false;
  bool is_behind_point = false;
  std::size_t i = 0;
  for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') is_behind_point = true;
    if (!is_digit(number[i])) continue;
    if (has_digit && !is_behind_point) ++first_digit;
    if (!has_digit && is_behind_point) --first_digit;
    if (number[i] != '0') has_digit = true;
  }
  if (i == number.size()) return first_digit > 0;
  std::string_view exponent = number.substr(i + 1);
  const bool is_negative = exponent.starts_with('-');
  if (is_negative || exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int64_t power = 0;
  const auto status = std::from_chars(exponent.data(),
                                      exponent.data() + exponent.size(), power);
  if (status.ec != std::errc()) return !is_negative;  // Beyond 10^18 digits.
  return first_digit + (is_negative ? -power : power) > 0;
}

// REQUIRES: no spaces around it.
CsvNumber read_with_point(std::string_view cell) {
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') {
    cell.remove_prefix(1);
  }
  CsvNumber number;
  const char* end = cell.data() + cell.size();
  const auto status = std::from_chars(cell.data(), end, number.value);
  if (status.ptr != end || status.ec == std::errc::invalid_argument) return {};
  number.kind = CsvNumber::Kind::Number;
  if (status.ec == std::errc::result_out_of_range) {
    number.value = 0;
    if (is_large(cell)) number.kind = CsvNumber::Kind::TooLarge;
  }
  return number;
}

CsvNumber read_with_comma(std::string_view cell) {
  if (std::ranges::count(cell, ',') != 1) return {};
  if (cell.find('.') != std::string_view::npos) return {};
  std::string with_point(cell);
  std::ranges::replace(with_point, ',', '.');
  return read_with_point(with_point);
}

}  // namespace

DecimalSign decimal_sign(char delimiter) {
  return delimiter == ';' ? DecimalSign::PointOrComma : DecimalSign::Point;
}

CsvNumber read_csv_number(std::string_view cell, DecimalSign sign) {
  cell = without_spaces(cell);
  const CsvNumber number = read_with_point(cell);
  const bool is_read = number.kind != CsvNumber::Kind::None;
  if (is_read || sign == DecimalSign::Point) return number;
  return read_with_comma(cell);
}

}  // namespace lamarck::data
