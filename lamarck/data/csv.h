// Reads and writes tables as comma-separated values.
//
//   LAMARCK_ASSIGN_OR_RETURN(const Table table, read_csv("iris.csv"));
//   LAMARCK_ASSIGN_OR_RETURN(const Dataset iris,
//                            to_dataset(table, {.target = "species"}));

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/table.h"

namespace lamarck::data {

enum class CsvHeader : std::uint8_t {
  Auto,  // The first row is a header unless one of its cells is a number.
  Yes,
  No,  // Columns are called column_1, column_2 and so on.
};

struct CsvOptions {
  CsvHeader header = CsvHeader::Auto;
  char delimiter = '\0';  // If 0, detected among , ; tab and |.
  // Cells that count as missing, in any letter case.
  std::vector<std::string> missing = {"", "NA", "N/A", "NaN", "null", "?", "-"};
  // A column with more distinct words than this is text, not a category. 0
  // means half the number of rows, but at least 20 and at most 1000.
  std::size_t max_categories = 0;
};

// Parses RFC 4180: quoted cells, line ends within them, \r\n, a byte order
// mark. A column is numeric if every cell that is not missing is a number; with
// semicolons as delimiters, numbers may have a decimal comma, as in 3,14.
// Errors name the line. Rows of different lengths are an error. Expects UTF-8,
// but passes other bytes through unchanged.
Result<Table> read_csv(const std::filesystem::path& path,
                       const CsvOptions& options = {});
Result<Table> parse_csv(std::string_view text, const CsvOptions& options = {});

// Writes the table with its header; `parse_csv` reads it back. Missing cells
// are empty.
std::string to_csv(const Table& table, char delimiter = ',');

}  // namespace lamarck::data
