// Reads and writes tables as comma-separated values.
//
//   LAMARCK_ASSIGN_OR_RETURN(const Table table, read_csv("iris.csv"));
//   LAMARCK_ASSIGN_OR_RETURN(const Dataset iris,
//                            to_dataset(table, {.target = "species"}));

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/data/table.h"

namespace lamarck::data {

enum class CsvHeader : std::uint8_t {
  Auto,  // The first row is a header unless one of its cells is a number.
  Yes,
  No,  // Columns are called column_1, column_2 and so on.
};

// Called about once per megabyte of the text, and at its end, with the bytes
// that are parsed and those of the whole text. Some tables are read twice, so
// it may start again.
using CsvWatch = std::function<void(std::size_t done, std::size_t total)>;

struct CsvOptions {
  CsvHeader header = CsvHeader::Auto;
  char delimiter = '\0';  // If 0, detected among , ; tab and |.
  // Cells that count as missing, in any letter case.
  std::vector<std::string> missing = {"", "NA", "N/A", "NaN", "null", "?", "-"};
  // A column with more distinct words than this is text, not a category. 0
  // means half the number of rows, but at least 20 and at most 1000.
  std::size_t max_categories = 0;
  // Reads every column as words, exactly as written; numbers keep their zeros.
  bool is_verbatim = false;
  // Of a file, by its name in iconv, such as latin1; empty for UTF-8.
  std::string encoding;
  CancelToken cancel;  // Ends the wait for more of a pipe.
  CsvWatch watch = {};
};

// Whether the path stands for standard input: - or /dev/stdin.
bool is_standard_input(const std::filesystem::path& path);
// The path for messages, or "standard input".
std::string csv_name(const std::filesystem::path& path);

// Parses RFC 4180: quoted cells, line ends within them, \r\n, a byte order
// mark. A column is numeric if every cell that is not missing is a number; with
// semicolons as delimiters, numbers may have a decimal comma, as in 3,14.
// With other delimiters, they may have commas between thousands, as in 1,000.5,
// if every number above 999 of the column has them. Errors name the line. Rows
// of different lengths are an error. Expects UTF-8, but passes other bytes
// through unchanged.
Result<Table> parse_csv(std::string_view text, const CsvOptions& options = {});
// Reads a file, or standard input for "-" and "/dev/stdin". Decompresses gzip
// and Zstandard data. Fails if the text is not UTF-8 and no encoding is given.
// Errors name the file.
Result<Table> read_csv(const std::filesystem::path& path,
                       const CsvOptions& options = {});
// The text that `read_csv` parses.
Result<std::string> read_csv_text(const std::filesystem::path& path,
                                  const CsvOptions& options = {});

struct CsvWriteOptions {
  char delimiter = ',';
  // Puts a ' before words that begin with = + - @, a tab or a carriage return,
  // so that no spreadsheet runs them as a formula. Numbers stay as they are.
  bool is_safe = false;
};

// Writes the table with its header; `parse_csv` reads it back unless it was
// made safe. Missing cells are empty.
std::string to_csv(const Table& table, const CsvWriteOptions& options = {});

}  // namespace lamarck::data
