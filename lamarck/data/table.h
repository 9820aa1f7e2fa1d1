// Columns with names, as a file of comma-separated values has them.

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
  Category,  // Words of which there are few: a class, a colour.
  Text,      // Words of which there are many: a name, a remark.
};

struct Column {
  static constexpr std::int32_t kMissing = -1;

  std::string name;
  ColumnKind kind = ColumnKind::Number;
  std::vector<double> numbers;      // Of Number, for each row; NaN if missing.
  std::vector<std::int32_t> codes;  // Otherwise: a place in `values`.
  std::vector<std::string> values;  // Different, sorted by their bytes.

  bool is_missing(std::size_t row) const;
};

// Columns of the same length.
class Table {
 public:
  // Throws LogicError if lengths differ, a code has no value or a name comes
  // twice.
  explicit Table(std::vector<Column> columns);

  std::size_t row_count() const { return row_count_; }
  const std::vector<Column>& columns() const { return columns_; }
  std::vector<std::string> column_names() const;

  // The place of a column. The error gives the nearest name.
  Result<std::size_t> find(std::string_view name) const;

  // A table of copies of these rows, in this order; a row may come twice.
  // Throws LogicError if there is no such row.
  Table rows(std::span<const std::size_t> indices) const;

 private:
  std::vector<Column> columns_;
  std::size_t row_count_ = 0;
};

}  // namespace lamarck::data
