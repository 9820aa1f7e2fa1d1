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

// Whether a number outside the range of double is too large rather than too
// small, that is, whether its leading nonzero digit has a positive power of ten
// after the exponent is applied. from_chars does not say which. REQUIRES:
// digits with an optional point and exponent.
bool is_large(std::string_view number) {
  std::int64_t first_digit = 0;  // Its power of ten, without the exponent.
  bool has_digit = false;
  bool is_after_point = false;
  std::size_t i = 0;
  for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') is_after_point = true;
    if (!is_digit(number[i])) continue;
    if (has_digit && !is_after_point) ++first_digit;
    if (!has_digit && is_after_point) --first_digit;
    if (number[i] != '0') has_digit = true;
  }
  if (i == number.size()) return first_digit > 0;
  std::string_view exponent = number.substr(i + 1);
  const bool is_negative = exponent.starts_with('-');
  if (is_negative || exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int64_t power = 0;
  const auto status = std::from_chars(exponent.data(),
                                      exponent.data() + exponent.size(), power);
  if (status.ec != std::errc())
    return !is_negative;  // The exponent itself overflows.
  return first_digit + (is_negative ? -power : power) > 0;
}

// REQUIRES: no surrounding spaces.
CsvNumber read_with_point(std::string_view cell) {
  // from_chars does not accept a leading plus.
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') {
    cell.remove_prefix(1);
  }
  CsvNumber number;
  const char* end = cell.data() + cell.size();
  const auto status = std::from_chars(cell.data(), end, number.value);
  if (status.ptr != end || status.ec == std::errc::invalid_argument) return {};
  number.kind = CsvNumber::Kind::Number;
  // Too small rounds to 0; too large must be reported.
  if (status.ec == std::errc::result_out_of_range) {
    number.value = 0;
    if (is_large(cell)) number.kind = CsvNumber::Kind::TooLarge;
  }
  return number;
}

// A point besides the comma would be a thousands separator, which is not
// supported.
CsvNumber read_with_comma(std::string_view cell) {
  if (std::ranges::count(cell, ',') != 1) return {};
  if (cell.find('.') != std::string_view::npos) return {};
  std::string with_point(cell);
  std::ranges::replace(with_point, ',', '.');
  return read_with_point(with_point);
}

// The number of digits at the start.
std::size_t count_digits(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  return static_cast<std::size_t>(end - text.begin());
}

std::string_view without_sign(std::string_view cell) {
  if (cell.starts_with('+') || cell.starts_with('-')) cell.remove_prefix(1);
  return cell;
}

// Whether the text is 1 to 3 digits that do not begin with 0, then groups of a
// comma and 3 digits, then maybe a point and digits.
bool has_groups(std::string_view text) {
  const std::size_t first = count_digits(text);
  if (first < 1 || first > 3 || text.starts_with('0')) return false;
  text.remove_prefix(first);
  if (!text.starts_with(',')) return false;
  while (text.starts_with(',')) {
    if (count_digits(text.substr(1)) != 3) return false;
    text.remove_prefix(4);
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    text.remove_prefix(count_digits(text));
  }
  return text.empty();
}

}  // namespace

DecimalSign decimal_sign(char delimiter) {
  return delimiter == ';' ? DecimalSign::PointOrComma : DecimalSign::Point;
}

CsvNumber read_grouped_number(std::string_view cell) {
  cell = without_spaces(cell);
  if (!has_groups(without_sign(cell))) return {};
  std::string digits(cell);
  std::erase(digits, ',');
  return read_with_point(digits);
}

CsvNumber read_number_with_points(std::string_view cell) {
  std::string swapped(cell);
  for (char& c : swapped) {
    if (c == ',' || c == '.') c = c == ',' ? '.' : ',';
  }
  if (swapped.find('.') == std::string::npos) return {};
  return read_grouped_number(swapped);
}

bool has_ungrouped_thousands(std::string_view cell) {
  return count_digits(without_sign(without_spaces(cell))) > 3;
}

CsvNumber read_csv_number(std::string_view cell, DecimalSign sign) {
  cell = without_spaces(cell);
  const CsvNumber number = read_with_point(cell);
  const bool is_read = number.kind != CsvNumber::Kind::None;
  if (is_read || sign == DecimalSign::Point) return number;
  return read_with_comma(cell);
}

}  // namespace lamarck::data
