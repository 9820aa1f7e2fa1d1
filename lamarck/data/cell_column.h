// A column from the texts of its cells.

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "lamarck/base/result.h"
#include "lamarck/data/csv.h"
#include "lamarck/data/table.h"

namespace lamarck::data {

// Returns the column that `parse_csv` makes of these cells: numbers if every
// cell that is not missing is a number, else a category or text. Errors count
// cells from 1 as lines.
Result<Column> make_column(std::string name, std::span<const std::string> cells,
                           const CsvOptions& options = {});

// The default of CsvOptions::max_categories for a table with this many rows.
std::size_t default_max_categories(std::size_t rows);

}  // namespace lamarck::data
