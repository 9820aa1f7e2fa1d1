// What an encoding learns about one column.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/internal/column_tensor.h"
#include "lamarck/data/table.h"

namespace lamarck::data {

// The rows in which something is known; among `rows`, or all.
Rows known_rows(const Column& column, const Rows& rows);
Rows known_rows(const Column& column);

struct Spread {
  double mean = 0;
  double deviation = 0;  // Divided by n; 0 only if all are the same.
};

// Fails for a number that a float cannot hold. REQUIRES: numbers, and at least
// one row, each of them known.
Result<Spread> spread_of(const Column& column, const Rows& rows);

struct ClassCounts {
  std::vector<std::string> names;  // Those that occur, in the column's order.
  std::vector<std::size_t> counts;
};

// REQUIRES: words, known in each row.
ClassCounts count_classes(const Column& column, const Rows& rows);

// `word` travels in JSON. The error names the column.
Result<void> check_utf8(const Column& column, const std::string& word);

}  // namespace lamarck::data
