#include "lamarck/data/internal/csv_scanner.h"

#include <algorithm>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::data {

std::string_view CsvCell::text(std::string& scratch) const {
  if (!has_doubled_quotes) return raw;
  scratch.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    scratch += raw[i];
    if (raw[i] == '"') ++i;  // Skips the second quote of the pair.
  }
  return scratch;
}

CsvScanner::CsvScanner(std::string_view text, char delimiter)
    : text_(text), delimiter_(delimiter) {}

Result<bool> CsvScanner::next(std::vector<CsvCell>& cells) {
  cells.clear();
  skip_blank_lines();
  if (is_at_end()) return false;
  row_line_ = line_;
  for (;;) {
    skip_spaces();
    if (!is_at_end() && text_[position_] == '"') {
      ASSIGN_OR_RETURN(const CsvCell cell, read_quoted());
      cells.push_back(cell);
    } else {
      cells.push_back(read_plain());
    }
    if (cells.size() > kMaxCsvColumns) {
      return csv_error(row_line_, "the row has more than " +
                                      std::to_string(kMaxCsvColumns) +
                                      " columns; use fewer of them.");
    }
    // A delimiter at the end of a line is followed by an empty cell.
    if (is_at_end() || text_[position_] != delimiter_) break;
    ++position_;
  }
  skip_line_end();
  return true;
}

bool CsvScanner::is_at_line_end() const {
  return !is_at_end() && (text_[position_] == '\n' || text_[position_] == '\r');
}

void CsvScanner::skip_spaces() {
  // A tab may be the delimiter itself.
  while (!is_at_end() && text_[position_] != delimiter_ &&
         (text_[position_] == ' ' || text_[position_] == '\t')) {
    ++position_;
  }
}

void CsvScanner::skip_line_end() {
  if (!is_at_line_end()) return;
  const bool is_pair = text_.substr(position_, 2) == "\r\n";
  position_ += is_pair ? 2 : 1;
  ++line_;
}

void CsvScanner::skip_blank_lines() {
  for (;;) {
    const std::size_t start = position_;
    skip_spaces();
    if (is_at_end()) return;
    if (!is_at_line_end()) {
      position_ = start;
      return;
    }
    skip_line_end();
  }
}

CsvCell CsvScanner::read_plain() {
  // Local copies stay in registers; large files spend most of their time here.
  const char* const begin = text_.data() + position_;
  const char* const text_end = text_.data() + text_.size();
  const char delimiter = delimiter_;
  const char* end = begin;
  while (end != text_end && *end != delimiter && *end != '\n' && *end != '\r') {
    ++end;
  }
  position_ += static_cast<std::size_t>(end - begin);
  while (end != begin && (end[-1] == ' ' || end[-1] == '\t')) --end;
  return {{begin, static_cast<std::size_t>(end - begin)}};
}

Result<CsvCell> CsvScanner::read_quoted() {
  const std::size_t opening_line = line_;
  const std::size_t start = ++position_;
  bool has_doubled_quotes = false;
  for (;;) {
    const std::size_t quote = text_.find('"', position_);
    if (quote == std::string_view::npos) {
      return csv_error(opening_line,
                       "a quote (\") opens a cell but is never closed.");
    }
    position_ = quote + 1;
    if (is_at_end() || text_[position_] != '"') break;
    has_doubled_quotes = true;
    ++position_;
  }
  const std::string_view raw = text_.substr(start, position_ - 1 - start);
  // Line ends within quotes belong to the cell, but still count.
  line_ += static_cast<std::size_t>(std::ranges::count(raw, '\n'));
  skip_spaces();
  if (!is_at_end() && !is_at_line_end() && text_[position_] != delimiter_) {
    return csv_error(line_, in_quotes(text_.substr(position_, 1)) +
                                " follows a closing quote; double the quotes "
                                "inside a cell (\"\").");
  }
  return CsvCell{raw, has_doubled_quotes};
}

Error csv_error(std::size_t line, std::string_view message) {
  const std::string number = std::to_string(line);
  return {ErrorCode::InvalidArgument,
          "Line " + number + ": " + std::string(message),
          {{"line", number}}};
}

}  // namespace lamarck::data
