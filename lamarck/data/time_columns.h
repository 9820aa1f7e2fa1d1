// Columns of dates and times as numbers that a model can learn from.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lamarck/data/table.h"

namespace lamarck::data {

// Parses "2024-02-29", "2024-02-29 13:05", "2024/02/29T13:05:30.5Z" and
// similar; an offset such as +02:00 is ignored, because people's habits follow
// the local time. Returns days since 1970-01-01, with the time as a fraction;
// nothing if the text is not a valid time.
std::optional<double> parse_time(std::string_view text);

// Whether the column has words, and each of them is a time.
bool is_time_column(const Column& column);

// Replaces columns of times, except those in `ignore`, by numbers: "when: day"
// (since 1970), and the time of day, the weekday and the day of the year as
// angles, each as "(sine)" and "(cosine)". A part that is the same in all rows
// is still there, so that another table has the same columns. Returns nothing
// if there is no such column. A column is left as it is if others have the
// names of its parts.
std::optional<Table> with_time_columns(const Table& table,
                                       std::span<const std::string> ignore);

// The name of the column of times if `name` is one of a replaced column:
// "when" for "when: weekday (sine)". Otherwise empty.
std::string_view time_column_name(std::string_view name);

}  // namespace lamarck::data
