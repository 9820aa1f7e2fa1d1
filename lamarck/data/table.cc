#include "lamarck/data/table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/suggestion.h"

namespace lamarck::data {
namespace {

std::size_t length(const Column& column) {
  return column.kind == ColumnKind::Number ? column.numbers.size()
                                           : column.codes.size();
}

// Whether each code is kMissing or an index into `values`.
bool has_valid_codes(const Column& column) {
  return std::ranges::all_of(column.codes, [&](std::int32_t code) {
    return code == Column::kMissing ||
           (code >= 0 && static_cast<std::size_t>(code) < column.values.size());
  });
}

// Suggests the nearest name, or lists the first ones.
std::string hint(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t kMaxShown = 12;
  if (const auto nearest = nearest_word(name, known)) {
    return "; did you mean " + in_quotes(*nearest) + "?";
  }
  const bool has_more = known.size() > kMaxShown;
  const std::vector<std::string> shown(
      known.begin(), known.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(known.size(), kMaxShown)));
  return "; the columns are " + one_line(join_text(shown, ", "), 300) +
         (has_more ? " and more." : ".");
}

}  // namespace

Error no_rows_error() {
  return Error(ErrorCode::InvalidArgument,
               "The table has a header but no rows.");
}

bool Column::is_missing(std::size_t row) const {
  return kind == ColumnKind::Number ? std::isnan(numbers.at(row))
                                    : codes.at(row) == kMissing;
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  if (!columns_.empty()) row_count_ = length(columns_.front());
  for (const Column& column : columns_) {
    REQUIRE(length(column) == row_count_,
            "Table: all columns must have the same number of rows, got {} in "
            "'{}' and {} in '{}'.",
            length(column), column.name, row_count_, columns_.front().name);
    REQUIRE(has_valid_codes(column),
            "Table: the codes of column '{}' must be kMissing or below its {} "
            "values.",
            column.name, column.values.size());
  }
  by_name_.resize(columns_.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  const auto name = [&](std::size_t i) -> const std::string& {
    return columns_[i].name;
  };
  std::ranges::sort(by_name_, {}, name);
  const auto twice = std::ranges::adjacent_find(by_name_, {}, name);
  REQUIRE(twice == by_name_.end(),
          "Table: column names must be unique, got '{}' twice.", name(*twice));
}

std::vector<std::string> Table::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  return names;
}

Result<std::size_t> Table::find(std::string_view name) const {
  const auto place = std::ranges::lower_bound(
      by_name_, name, {},
      [&](std::size_t i) { return std::string_view(columns_[i].name); });
  if (place != by_name_.end() && columns_[*place].name == name) return *place;
  return Error(
      ErrorCode::InvalidArgument,
      "There is no column " + in_quotes(name) + hint(name, column_names()),
      {{"column", std::string(name)}});
}

Table Table::rows(std::span<const std::size_t> indices) const {
  for (const std::size_t index : indices) {
    REQUIRE(index < row_count_,
            "Table::rows: row indices must be below {}, got {}.", row_count_,
            index);
  }
  std::vector<Column> columns;
  for (const Column& column : columns_) {
    Column part{
        .name = column.name, .kind = column.kind, .values = column.values};
    for (const std::size_t index : indices) {
      if (column.kind == ColumnKind::Number) {
        part.numbers.push_back(column.numbers[index]);
      } else {
        part.codes.push_back(column.codes[index]);
      }
    }
    columns.push_back(std::move(part));
  }
  return Table(std::move(columns));
}

}  // namespace lamarck::data
