// Comma-separated values taken apart into rows of cells (RFC 4180).

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::data {

inline constexpr std::size_t kMaxCsvColumns = 100'000;

struct CsvCell {
  std::string_view raw;             // Points into the text.
  bool has_doubled_quotes = false;  // They stand for one quote each.

  // What the cell says; `scratch` holds it where `raw` does not.
  std::string_view text(std::string& scratch) const;
};

// Lines end with \n, \r\n or \r; blank ones are skipped. Spaces around a cell
// do not belong to it, unless they are within quotes.
class CsvScanner {
 public:
  // `text` outlives the scanner.
  CsvScanner(std::string_view text, char delimiter);

  // Replaces `cells` by the next row; false at the end. Fails, with the line,
  // for a quote that is not closed or followed by more than the cell's end,
  // and for too many columns.
  Result<bool> next(std::vector<CsvCell>& cells);

  // On which the row that `next` gave begins, from 1 on.
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

// `message` with its line, in words and as a field.
Error csv_error(std::size_t line, std::string_view message);

}  // namespace lamarck::data
