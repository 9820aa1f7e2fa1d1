#include "lamarck/data/table.h"

#include <algorithm>
#include <cmath>
#include <set>
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

bool has_all_values(const Column& column) {
  return std::ranges::all_of(column.codes, [&](std::int32_t code) {
    return code == Column::kMissing ||
           (code >= 0 && static_cast<std::size_t>(code) < column.values.size());
  });
}

// The nearest name, or all of them where they are few.
std::string hint(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t kShown = 12;
  if (const auto nearest = nearest_word(name, known)) {
    return "; did you mean " + in_quotes(*nearest) + "?";
  }
  const bool has_more = known.size() > kShown;
  const std::vector<std::string> shown(
      known.begin(), known.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(known.size(), kShown)));
  return "; there are " + one_line(join_text(shown, ", "), 300) +
         (has_more ? " and more." : ".");
}

}  // namespace

bool Column::is_missing(std::size_t row) const {
  return kind == ColumnKind::Number ? std::isnan(numbers.at(row))
                                    : codes.at(row) == kMissing;
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  if (!columns_.empty()) row_count_ = length(columns_.front());
  std::set<std::string_view> names;
  for (const Column& column : columns_) {
    REQUIRE(length(column) == row_count_,
            "Table: all columns have the same number of rows");
    REQUIRE(has_all_values(column), "Table: each code has its value");
    REQUIRE(names.insert(column.name).second,
            "Table: no two columns have the same name");
  }
}

std::vector<std::string> Table::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  return names;
}

Result<std::size_t> Table::find(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  return Error(
      ErrorCode::NotFound,
      "There is no column " + in_quotes(name) + hint(name, column_names()),
      {{"column", std::string(name)}});
}

Table Table::rows(std::span<const std::size_t> indices) const {
  for (const std::size_t index : indices) {
    REQUIRE(index < row_count_, "Table::rows: each row is in the table");
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
