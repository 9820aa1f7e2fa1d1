// A table of named columns, such as a CSV file contains.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::data {

enum class ColumnKind : std::uint8_t {
  Number,
  Category,  // Few distinct words: a class, a colour.
  Text,      // Many distinct words: a name, a comment.
};

struct Column {
  static constexpr std::int32_t kMissing = -1;

  std::string name;
  ColumnKind kind = ColumnKind::Number;
  std::vector<double> numbers;      // If kind is Number; NaN if missing.
  std::vector<std::int32_t> codes;  // Otherwise: indices into `values`.
  std::vector<std::string> values;  // Distinct, sorted by bytes.

  bool is_missing(std::size_t row) const;
};

// InvalidArgument, for a table that needs at least one row.
Error no_rows_error();

// Columns of equal length with unique names.
class Table {
 public:
  // Throws LogicError if lengths differ, a code has no value or two columns
  // have the same name.
  explicit Table(std::vector<Column> columns);

  std::size_t row_count() const { return row_count_; }
  const std::vector<Column>& columns() const { return columns_; }
  std::vector<std::string> column_names() const;

  // The index of a column. Fails with InvalidArgument, suggesting the nearest
  // name.
  Result<std::size_t> find(std::string_view name) const;

  // Returns copies of the given rows, in that order; rows may repeat. Throws
  // LogicError if an index is out of range.
  Table rows(std::span<const std::size_t> indices) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::size_t> by_name_;  // Columns in the order of their names.
  std::size_t row_count_ = 0;
};

}  // namespace lamarck::data
