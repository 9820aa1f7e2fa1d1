#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "lamarck/data/csv.h"
#include "lamarck/data/internal/csv_number.h"

namespace lamarck::data {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Cells that contain other delimiters are quoted too, so that delimiter
// detection is not misled.
bool needs_quotes(std::string_view cell, char delimiter) {
  return cell.empty() || is_blank(cell.front()) || is_blank(cell.back()) ||
         cell.find_first_of("\"\r\n,;\t|") != std::string_view::npos ||
         cell.find(delimiter) != std::string_view::npos;
}

// Whether a spreadsheet would run the cell as a formula. Ids that were read as
// words may be negative numbers, which are harmless.
bool is_formula(std::string_view cell) {
  constexpr std::string_view kStarts = "=+-@\t\r";
  return !cell.empty() && kStarts.find(cell[0]) != std::string_view::npos &&
         read_csv_number(cell).kind == CsvNumber::Kind::None;
}

void write_word(std::string_view cell, const CsvWriteOptions& options,
                std::string& text) {
  const bool is_made_safe = options.is_safe && is_formula(cell);
  if (!needs_quotes(cell, options.delimiter)) {
    if (is_made_safe) text += '\'';
    text += cell;
    return;
  }
  text += '"';
  if (is_made_safe) text += '\'';
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

void write_cell(const Column& column, std::size_t row,
                const CsvWriteOptions& options, std::string& text) {
  if (column.is_missing(row)) return;
  if (column.kind == ColumnKind::Number) {
    // The shortest text that parses back to the same double.
    fmt::format_to(std::back_inserter(text), "{}", column.numbers[row]);
    return;
  }
  const auto code = static_cast<std::size_t>(column.codes[row]);
  write_word(column.values[code], options, text);
}

}  // namespace

std::string to_csv(const Table& table, const CsvWriteOptions& options) {
  std::string text;
  const auto& columns = table.columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) text += options.delimiter;
    write_word(columns[i].name, options, text);
  }
  text += '\n';
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::size_t start = text.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += options.delimiter;
      write_cell(columns[i], row, options, text);
    }
    if (text.size() == start) text += "\"\"";  // Readers skip blank lines.
    text += '\n';
  }
  return text;
}

}  // namespace lamarck::data
