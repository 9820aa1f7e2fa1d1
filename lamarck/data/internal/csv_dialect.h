// What a file of separated values does not say about itself.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lamarck/data/internal/csv_number.h"
#include "lamarck/data/internal/csv_scanner.h"

namespace lamarck::data {

// The one among , ; tab | that cuts the first rows into equally many cells, and
// into most of them; a comma where none does. If a semicolon leaves commas only
// as decimal signs, it is the semicolon.
char likely_delimiter(std::string_view text);

// Whether a first row names the columns: no cell of it is a number.
bool is_likely_header(std::span<const CsvCell> cells, DecimalSign sign);

}  // namespace lamarck::data
