#include "lamarck/data/internal/csv_dialect.h"

#include <algorithm>
#include <vector>

namespace lamarck::data {
namespace {

// How well a delimiter splits the first rows.
struct Fit {
  bool is_even = true;    // All rows have the same number of cells.
  std::size_t cells = 0;  // In the first row.
};

constexpr int kSampleRows = 10;

Fit measure_fit(std::string_view text, char delimiter) {
  CsvScanner scanner(text, delimiter);
  std::vector<CsvCell> cells;
  Fit fit;
  for (int row = 0; row < kSampleRows; ++row) {
    const Result<bool> has_row = scanner.next(cells);
    if (!has_row) fit.is_even = false;
    if (!has_row || !*has_row) break;
    if (row == 0) fit.cells = cells.size();
    if (cells.size() != fit.cells) fit.is_even = false;
  }
  return fit;
}

// Whether semicolons split the first rows evenly and the remaining commas are
// decimal signs. The first row may be a header, so its commas are not checked.
bool has_decimal_commas(std::string_view text) {
  const Fit fit = measure_fit(text, ';');
  if (!fit.is_even || fit.cells < 2) return false;
  CsvScanner scanner(text, ';');
  std::vector<CsvCell> cells;
  bool has_number = false;
  for (int row = 0; row < kSampleRows; ++row) {
    if (!scanner.next(cells).value_or(false)) break;
    for (const CsvCell& cell : cells) {
      if (cell.raw.find(',') == std::string_view::npos) continue;
      const bool is_number =
          read_csv_number(cell.raw, DecimalSign::PointOrComma).kind !=
          CsvNumber::Kind::None;
      if (!is_number && row > 0) return false;
      has_number = has_number || is_number;
    }
  }
  return has_number;
}

}  // namespace

char likely_delimiter(std::string_view text) {
  // "1,5;2,5" splits evenly at commas too, so this case is tested first.
  if (has_decimal_commas(text)) return ';';
  char best = ',';
  Fit best_fit = measure_fit(text, best);
  for (const char delimiter : {';', '\t', '|'}) {
    const Fit fit = measure_fit(text, delimiter);
    if (fit.cells < 2) continue;
    const bool is_more_even = fit.is_even && !best_fit.is_even;
    const bool is_as_even = fit.is_even == best_fit.is_even;
    if (is_more_even || best_fit.cells < 2 ||
        (is_as_even && fit.cells > best_fit.cells)) {
      best = delimiter;
      best_fit = fit;
    }
  }
  return best;
}

bool is_likely_header(std::span<const CsvCell> cells, DecimalSign sign) {
  std::string scratch;
  return std::ranges::none_of(cells, [&](const CsvCell& cell) {
    return read_csv_number(cell.text(scratch), sign).kind !=
           CsvNumber::Kind::None;
  });
}

}  // namespace lamarck::data
