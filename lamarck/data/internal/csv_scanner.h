// Splits comma-separated values into rows of cells (RFC 4180).

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::data {

inline constexpr std::size_t kMaxCsvColumns = 1'000'000;
inline constexpr std::size_t kMaxCsvCells = 500'000'000;

struct CsvCell {
  std::string_view raw;             // Points into the text.
  bool has_doubled_quotes = false;  // Each pair stands for one quote.

  // The cell's text. Points to `scratch` if quotes had to be undoubled, else
  // into the scanned text.
  std::string_view text(std::string& scratch) const;
};

// Lines end with \n, \r\n or \r; blank lines are skipped. Spaces around a cell
// are dropped unless they are within quotes.
class CsvScanner {
 public:
  // REQUIRES: `text` outlives the scanner.
  CsvScanner(std::string_view text, char delimiter);

  // Reads the next row into `cells`; returns false at the end. Fails, naming
  // the line, for an unclosed quote, for text after a closing quote, and for
  // too many columns.
  Result<bool> next(std::vector<CsvCell>& cells);

  // The bytes that were read.
  std::size_t position() const { return position_; }
  // The line, from 1, on which the row that `next` returned starts.
  std::size_t line() const { return row_line_; }

 private:
  bool is_at_end() const { return position_ == text_.size(); }
  bool is_at_line_end() const;
  void skip_spaces();
  void skip_line_end();
  void skip_blank_lines();
  CsvCell read_plain();
  Result<CsvCell> read_quoted();

  std::string_view text_;
  char delimiter_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
};

// InvalidArgument with the message "Line <line>: <message>" and the field
// "line".
Error csv_error(std::size_t line, std::string_view message);

}  // namespace lamarck::data
