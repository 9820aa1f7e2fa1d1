#include "lamarck/data/internal/column_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"

namespace lamarck::data {

Rows known_rows(const Column& column, const Rows& rows) {
  Rows known;
  std::ranges::copy_if(rows, std::back_inserter(known), [&](std::size_t row) {
    return !column.is_missing(row);
  });
  return known;
}

Rows known_rows(const Column& column) {
  Rows all(std::max(column.numbers.size(), column.codes.size()));
  for (std::size_t row = 0; row < all.size(); ++row) all[row] = row;
  return known_rows(column, all);
}

Result<Spread> compute_spread(const Column& column, const Rows& rows) {
  const auto count = static_cast<double>(rows.size());
  double low = column.numbers[rows.front()];
  double high = low;
  double mean = 0;
  for (const std::size_t row : rows) {
    const double number = column.numbers[row];
    if (!std::isfinite(static_cast<float>(number))) {
      return float_error(column, number);
    }
    low = std::min(low, number);
    high = std::max(high, number);
    mean += number / count;
  }
  // The computed mean of equal numbers may be off by rounding; this is exact.
  if (low == high) return Spread{.mean = low};
  double variance = 0;
  for (const std::size_t row : rows) {
    const double difference = column.numbers[row] - mean;
    variance += difference * difference / count;
  }
  // Squares of tiny differences may underflow to 0.
  const double deviation = variance > 0 ? std::sqrt(variance) : high - low;
  return Spread{.mean = mean, .deviation = deviation};
}

ClassCounts count_classes(const Column& column, const Rows& rows) {
  std::vector<std::size_t> counts(column.values.size());
  for (const std::size_t row : rows) {
    ++counts[static_cast<std::size_t>(column.codes[row])];
  }
  ClassCounts found;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    found.names.push_back(column.values[i]);
    found.counts.push_back(counts[i]);
  }
  return found;
}

Result<void> check_utf8(const Column& column, const std::string& word) {
  if (is_valid_utf8(word)) return {};
  return column_error(column,
                      "contains " + in_quotes(word) +
                          ", which is not UTF-8; save the file as UTF-8.");
}

}  // namespace lamarck::data
