#include "lamarck/schema/internal/format_time.h"

#include <algorithm>
#include <array>
#include <optional>

#include "lamarck/schema/internal/ascii_digit.h"

namespace lamarck::schema {
namespace {

// Removes `count` digits from the start of `text` and returns their value.
std::optional<int> take_number(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  if (!std::ranges::all_of(text.substr(0, count), is_digit)) {
    return std::nullopt;
  }
  int value = 0;
  for (const char c : text.substr(0, count)) value = value * 10 + (c - '0');
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

std::size_t take_digits(std::string_view& text) {
  const auto* end = std::ranges::find_if_not(text, is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count;
}

int days_in_month(int year, int month) {
  constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && is_leap ? 29
                               : kDays[static_cast<std::size_t>(month) - 1];
}

// Reads "Z" or "+01:30"; returns minutes east of UTC.
std::optional<int> take_offset(std::string_view& text) {
  if (take(text, 'Z') || take(text, 'z')) return 0;
  const int sign = text.starts_with('-') ? -1 : 1;
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = take_number(text, 2);
  if (!hours.has_value() || *hours > 23 || !take(text, ':')) {
    return std::nullopt;
  }
  const auto minutes = take_number(text, 2);
  if (!minutes.has_value() || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + *minutes);
}

// Reads numbers followed by `units`, in order and each at most once. The ABNF
// allows no gaps: "1Y2M" is valid, "1Y2D" is not.
bool take_units(std::string_view& text, std::string_view units) {
  std::size_t next = std::string_view::npos;
  while (!text.empty() && text.front() != 'T') {
    if (take_digits(text) == 0 || text.empty()) return false;
    const std::size_t unit = units.find(text.front());
    if (unit == std::string_view::npos) return false;
    if (next != std::string_view::npos && unit != next) return false;
    next = unit + 1;
    text.remove_prefix(1);
  }
  return next != std::string_view::npos;
}

}  // namespace

bool is_date(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year.has_value() || !take(text, '-')) return false;
  const auto month = take_number(text, 2);
  if (!month.has_value() || *month < 1 || *month > 12) return false;
  if (!take(text, '-')) return false;
  const auto day = take_number(text, 2);
  return day.has_value() && *day >= 1 && *day <= days_in_month(*year, *month) &&
         text.empty();
}

bool is_time(std::string_view text) {
  const auto hour = take_number(text, 2);
  if (!hour.has_value() || *hour > 23 || !take(text, ':')) return false;
  const auto minute = take_number(text, 2);
  if (!minute.has_value() || *minute > 59 || !take(text, ':')) return false;
  const auto second = take_number(text, 2);
  if (!second.has_value() || *second > 60) return false;
  if (take(text, '.') && take_digits(text) == 0) return false;
  const auto offset = take_offset(text);
  if (!offset.has_value() || !text.empty()) return false;
  constexpr int kDay = 24 * 60;
  const int utc = (*hour * 60 + *minute - *offset + kDay) % kDay;
  return *second < 60 || utc == kDay - 1;  // Leap seconds end a UTC day.
}

bool is_date_time(std::string_view text) {
  return text.size() > 11 && is_date(text.substr(0, 10)) &&
         (text[10] == 'T' || text[10] == 't') && is_time(text.substr(11));
}

bool is_duration(std::string_view text) {
  if (!take(text, 'P')) return false;
  if (text.ends_with('W')) {
    text.remove_suffix(1);
    return take_digits(text) > 0 && text.empty();
  }
  const bool has_date = !text.empty() && text.front() != 'T';
  if (has_date && !take_units(text, "YMD")) return false;
  if (text.empty()) return has_date;
  return take(text, 'T') && take_units(text, "HMS") && text.empty();
}

}  // namespace lamarck::schema
