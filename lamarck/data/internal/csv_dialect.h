// Detects the dialect of a CSV file: its delimiter and whether it has a header.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lamarck/data/internal/csv_number.h"
#include "lamarck/data/internal/csv_scanner.h"

namespace lamarck::data {

// Returns the delimiter among , ; tab | that splits the first rows into the
// same number of cells, preferring the largest number; a comma if none does.
// Returns a semicolon if, split at semicolons, all commas are decimal signs.
char likely_delimiter(std::string_view text);

// Whether the first row looks like a header: none of its cells is a number.
bool is_likely_header(std::span<const CsvCell> cells, DecimalSign sign);

}  // namespace lamarck::data
