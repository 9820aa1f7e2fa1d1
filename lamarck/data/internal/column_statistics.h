// Statistics of one column for fitting an encoding.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/internal/column_tensor.h"
#include "lamarck/data/table.h"

namespace lamarck::data {

// The rows whose cell is not missing, among `rows` or among all.
Rows known_rows(const Column& column, const Rows& rows);
Rows known_rows(const Column& column);

struct Spread {
  double mean = 0;
  // The population standard deviation (divided by n); 0 only if all numbers are
  // equal.
  double deviation = 0;
};

// Fails for a number that does not fit into a float. REQUIRES: the column is
// numeric; rows is not empty, and none of them is missing.
Result<Spread> compute_spread(const Column& column, const Rows& rows);

struct ClassCounts {
  std::vector<std::string> names;  // Values that occur, in order.
  std::vector<std::size_t> counts;
};

// REQUIRES: the column holds words, and none of the rows is missing.
ClassCounts count_classes(const Column& column, const Rows& rows);

// Fails if `word` is not UTF-8 and so could not be written to JSON. The error
// names the column.
Result<void> check_utf8(const Column& column, const std::string& word);

}  // namespace lamarck::data
