#include "lamarck/data/internal/csv_dialect.h"

#include <algorithm>
#include <vector>

#include "lamarck/data/internal/csv_number.h"

namespace lamarck::data {
namespace {

struct Fit {
  bool is_even = true;    // All rows have as many cells as the first.
  std::size_t cells = 0;  // In the first row.
};

Fit fit_of(std::string_view text, char delimiter) {
  constexpr int kRows = 10;
  CsvScanner scanner(text, delimiter);
  std::vector<CsvCell> cells;
  Fit fit;
  for (int row = 0; row < kRows; ++row) {
    const Result<bool> has_row = scanner.next(cells);
    if (!has_row) fit.is_even = false;
    if (!has_row || !*has_row) break;
    if (row == 0) fit.cells = cells.size();
    if (cells.size() != fit.cells) fit.is_even = false;
  }
  return fit;
}

}  // namespace

char likely_delimiter(std::string_view text) {
  char best = ',';
  Fit best_fit = fit_of(text, best);
  for (const char delimiter : {';', '\t', '|'}) {
    const Fit fit = fit_of(text, delimiter);
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

bool is_likely_header(std::span<const CsvCell> cells) {
  std::string scratch;
  return std::ranges::none_of(cells, [&](const CsvCell& cell) {
    return read_csv_number(cell.text(scratch)).kind != CsvNumber::Kind::None;
  });
}

}  // namespace lamarck::data
