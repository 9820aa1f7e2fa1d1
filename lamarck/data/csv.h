// Tables from files of comma-separated values.
//
//   LAMARCK_ASSIGN_OR_RETURN(const Table table, read_csv("iris.csv"));
//   LAMARCK_ASSIGN_OR_RETURN(const Dataset iris,
//                    to_dataset(table, {.target = "species"}));

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
  Auto,  // The first row names the columns unless one of its cells is a number.
  Yes,
  No,  // Columns are column_1, column_2 and so on.
};

struct CsvOptions {
  CsvHeader header = CsvHeader::Auto;
  char delimiter = '\0';  // If 0, it is found among , ; tab and |.
  // What means that nothing is known, in upper or lower case.
  std::vector<std::string> missing = {"", "NA", "N/A", "NaN", "null", "?", "-"};
  // Different words up to which a column is a category, and not text. If 0: 20,
  // or half the rows, at most 1000.
  std::size_t most_categories = 0;
};

// RFC 4180: quotes, line ends within them, \r\n, a byte order mark. A column of
// which every known cell is a number is one of numbers; between semicolons also
// with a decimal comma, as in 3,14. Errors name the line;
// rows of different length are one. Takes UTF-8 and leaves other bytes as they
// are.
Result<Table> read_csv(const std::filesystem::path& path,
                       const CsvOptions& options = {});
Result<Table> parse_csv(std::string_view text, const CsvOptions& options = {});

// The table with its header, so that `parse_csv` gives it back. Missing cells
// are empty.
std::string to_csv(const Table& table, char delimiter = ',');

}  // namespace lamarck::data
