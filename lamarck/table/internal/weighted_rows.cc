#include "lamarck/table/internal/weighted_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <numeric>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::ColumnKind;
using data::Table;

Result<void> check_weights(const Column& column) {
  if (column.kind != ColumnKind::Number) {
    return invalid_argument(
        fmt::format("The column of weights, {}, must contain numbers, but it "
                    "contains text.",
                    in_quotes(column.name)));
  }
  for (std::size_t row = 0; row < column.numbers.size(); ++row) {
    const double weight = column.numbers[row];
    if (std::isfinite(weight) && weight >= 0) continue;
    return invalid_argument(fmt::format(
        "Weights must be at least 0 and finite, but row {} of {} is {}.",
        row + 1, in_quotes(column.name), weight));
  }
  if (std::ranges::any_of(column.numbers, [](double w) { return w > 0; })) {
    return {};
  }
  return invalid_argument(
      fmt::format("At least one weight must be above 0, but all of {} are 0.",
                  in_quotes(column.name)));
}

// Missing cells come first.
std::strong_ordering compare_cells(const Column& column, std::size_t left,
                                   std::size_t right) {
  if (column.kind != ColumnKind::Number) {
    return column.codes[left] <=> column.codes[right];
  }
  return std::strong_order(column.numbers[left], column.numbers[right]);
}

}  // namespace

Result<std::optional<Table>> weighted_rows(const Table& table,
                                           const std::string& weight) {
  if (weight.empty()) return std::optional<Table>();
  ASSIGN_OR_RETURN(const std::size_t place, table.find(weight));
  const Column& weights = table.columns()[place];
  RETURN_IF_ERROR(check_weights(weights));
  const auto [min, max] = std::ranges::minmax(weights.numbers);
  if (min == max) return std::optional<Table>();
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (weights.numbers[row] > 0) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, [&](std::size_t left, std::size_t right) {
    for (const Column& column : table.columns()) {
      const auto order = compare_cells(column, left, right);
      if (order != 0) return order < 0;
    }
    return false;
  });
  return std::optional<Table>(table.rows(rows));
}

std::vector<double> weights_of_rows(const Table& table,
                                    const std::string& weight,
                                    std::span<const std::size_t> rows) {
  std::vector<double> own;
  if (weight.empty() || rows.empty()) return own;
  const Column& column = table.columns()[table.find(weight).value()];
  for (const std::size_t row : rows) own.push_back(column.numbers[row]);
  const auto [min, max] = std::ranges::minmax(own);
  if (min == max) return {};
  const double mean = std::accumulate(own.begin(), own.end(), 0.0) /
                      static_cast<double>(own.size());
  for (double& each : own) each /= mean;
  return own;
}

}  // namespace lamarck::table
