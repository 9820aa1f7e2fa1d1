#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "lamarck/data/csv.h"

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

void write_word(std::string_view cell, char delimiter, std::string& text) {
  if (!needs_quotes(cell, delimiter)) {
    text += cell;
    return;
  }
  text += '"';
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

void write_cell(const Column& column, std::size_t row, char delimiter,
                std::string& text) {
  if (column.is_missing(row)) return;
  if (column.kind == ColumnKind::Number) {
    // The shortest text that parses back to the same double.
    fmt::format_to(std::back_inserter(text), "{}", column.numbers[row]);
    return;
  }
  const auto code = static_cast<std::size_t>(column.codes[row]);
  write_word(column.values[code], delimiter, text);
}

}  // namespace

std::string to_csv(const Table& table, char delimiter) {
  std::string text;
  const auto& columns = table.columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) text += delimiter;
    write_word(columns[i].name, delimiter, text);
  }
  text += '\n';
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::size_t start = text.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += delimiter;
      write_cell(columns[i], row, delimiter, text);
    }
    if (text.size() == start) text += "\"\"";  // Readers skip blank lines.
    text += '\n';
  }
  return text;
}

}  // namespace lamarck::data
