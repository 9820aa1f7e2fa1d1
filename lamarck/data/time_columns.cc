#include "lamarck/data/time_columns.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace lamarck::data {
namespace {

constexpr double kMissingTime = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<std::string_view, 7> kTimeParts = {
    ": day",
    ": time of day (sine)",
    ": time of day (cosine)",
    ": weekday (sine)",
    ": weekday (cosine)",
    ": day of the year (sine)",
    ": day of the year (cosine)"};

// Reads a text from its beginning; `is_good` turns false at the first mismatch.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  // A number of exactly `digits` digits.
  int number(std::size_t digits) {
    int value = 0;
    if (rest_.size() < digits) return fail();
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return fail();
      value = 10 * value + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }

  bool take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos)
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  void require(std::string_view any_of) {
    if (!take(any_of)) fail();
  }

  void skip_digits() {
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      rest_.remove_prefix(1);
    }
  }

  int fail() {
    is_good_ = false;
    return 0;
  }

  bool is_good() const { return is_good_; }
  bool is_at_end() const { return rest_.empty(); }
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

std::optional<double> read_day(TimeReader& reader) {
  const int year = reader.number(4);
  const char separator = reader.next();
  reader.require("-/");
  const int month = reader.number(2);
  reader.require(std::string_view(&separator, 1));
  const int day = reader.number(2);
  const std::chrono::year_month_day date{
      std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
      std::chrono::day(static_cast<unsigned>(day))};
  if (!reader.is_good() || !date.ok()) return std::nullopt;
  return static_cast<double>(
      std::chrono::sys_days(date).time_since_epoch().count());
}

// Reads "13:05", "13:05:30.5", with "Z" or an offset; as a share of a day.
std::optional<double> read_time_of_day(TimeReader& reader) {
  const int hour = reader.number(2);
  reader.require(":");
  const int minute = reader.number(2);
  const int second = reader.take(":") ? reader.number(2) : 0;
  if (reader.take(".,")) reader.skip_digits();
  if (!reader.take("Z") && reader.take("+-")) {
    reader.number(2);
    reader.take(":");
    if (!reader.is_at_end()) reader.number(2);
  }
  if (!reader.is_good() || !reader.is_at_end()) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return (hour + (minute + second / 60.0) / 60.0) / 24.0;
}

// The seven numbers of a time, in the order of kTimeParts.
std::array<double, 7> time_parts(double time) {
  const double day = std::floor(time);
  const auto days =
      std::chrono::sys_days(std::chrono::days(static_cast<std::int64_t>(day)));
  const std::chrono::year_month_day date(days);
  const auto new_year = std::chrono::sys_days(
      date.year() / std::chrono::January / std::chrono::day(1));
  const std::chrono::weekday weekday(days);
  const auto angle = [](double share) { return 2 * std::numbers::pi * share; };
  const double hour = angle(time - day);
  const double week = angle(weekday.c_encoding() / 7.0);
  const double year =
      angle(static_cast<double>((days - new_year).count()) / 365.25);
  return {time,           std::sin(hour), std::cos(hour), std::sin(week),
          std::cos(week), std::sin(year), std::cos(year)};
}

// The times of the rows; NaN if missing.
std::vector<double> read_times(const Column& column) {
  std::vector<double> times;
  for (const std::int32_t code : column.codes) {
    times.push_back(
        code < 0 ? kMissingTime
                 : parse_time(column.values[static_cast<std::size_t>(code)])
                       .value_or(kMissingTime));
  }
  return times;
}

// Whether the table already has a column with the name of a part.
bool has_parts_of(const Column& column, const Table& table) {
  return std::ranges::any_of(table.columns(), [&](const Column& each) {
    return time_column_name(each.name) == column.name;
  });
}

void add_parts(const Column& column, std::vector<Column>& columns) {
  const std::size_t first = columns.size();
  for (const std::string_view part : kTimeParts) {
    columns.push_back({.name = column.name + std::string(part),
                       .kind = ColumnKind::Number,
                       .numbers = {},
                       .codes = {},
                       .values = {}});
  }
  for (const double time : read_times(column)) {
    std::array<double, 7> parts{};
    parts.fill(kMissingTime);
    if (!std::isnan(time)) parts = time_parts(time);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      columns[first + i].numbers.push_back(parts[i]);
    }
  }
}

}  // namespace

std::optional<double> parse_time(std::string_view text) {
  TimeReader reader(text);
  const std::optional<double> day = read_day(reader);
  if (!day || reader.is_at_end()) return day;
  if (!reader.take("T ")) return std::nullopt;
  const std::optional<double> share = read_time_of_day(reader);
  if (!share) return std::nullopt;
  return *day + *share;
}

bool is_time_column(const Column& column) {
  return column.kind != ColumnKind::Number && !column.values.empty() &&
         std::ranges::all_of(column.values, [](const std::string& value) {
           return parse_time(value).has_value();
         });
}

std::optional<Table> with_time_columns(const Table& table,
                                       std::span<const std::string> ignore) {
  const auto is_replaced = [&](const Column& column) {
    return is_time_column(column) &&
           std::ranges::find(ignore, column.name) == ignore.end() &&
           !has_parts_of(column, table);
  };
  if (std::ranges::none_of(table.columns(), is_replaced)) return std::nullopt;
  std::vector<Column> columns;
  for (const Column& column : table.columns()) {
    if (is_replaced(column)) {
      add_parts(column, columns);
    } else {
      columns.push_back(column);
    }
  }
  return Table(std::move(columns));
}

std::string_view time_column_name(std::string_view name) {
  for (const std::string_view part : kTimeParts) {
    if (name.ends_with(part)) return name.substr(0, name.size() - part.size());
  }
  return {};
}

}  // namespace lamarck::data
