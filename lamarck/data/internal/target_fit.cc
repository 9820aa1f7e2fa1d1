#include "lamarck/data/internal/target_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/data/internal/category_codes.h"
#include "lamarck/data/internal/column_statistics.h"

namespace lamarck::data {
namespace {

// More distinct integers than this are a number to predict, not classes.
constexpr std::size_t kMaxIntegerClasses = 10;
// Classes with fewer rows, and a class with a larger share, get a remark.
constexpr std::size_t kMinClassRows = 5;
constexpr double kMajorityShare = 0.8;

// The number of distinct integers, or 0 if a number is not an integer.
std::size_t count_whole_numbers(const Column& column, const Rows& rows) {
  std::set<double> different;
  for (const std::size_t row : rows) {
    const double number = column.numbers[row];
    if (number != std::floor(number) || std::isinf(number)) return 0;
    different.insert(number);
  }
  return different.size();
}

// Classes repeat: each must occur 5 times on average, or twice if there are
// only two, such as 0 and 1.
bool are_likely_classes(std::size_t different, std::size_t rows) {
  if (different < 2 || different > kMaxIntegerClasses) return false;
  return rows >= different * (different == 2 ? 2 : 5);
}

// Decides how to treat the target, and adds a remark if integers could also be
// treated the other way.
bool is_read_as_classes(const Column& column, const Rows& rows,
                        std::vector<std::string>& remarks) {
  if (column.kind != ColumnKind::Number) return true;
  const std::size_t different = count_whole_numbers(column, rows);
  const bool is_classes = are_likely_classes(different, rows.size());
  const std::string prefix =
      fmt::format("target {} has {} distinct integers and is treated as ",
                  in_quotes(column.name), different);
  if (is_classes) {
    remarks.push_back(prefix +
                      "classes; use --task regress to treat it as a number");
  } else if (different > 1 && different <= 2 * kMaxIntegerClasses) {
    remarks.push_back(prefix +
                      "a number; use --task classify to treat it as classes");
  }
  return is_classes;
}

void remark_on_classes(const TargetColumn& target, std::size_t row_count,
                       std::vector<std::string>& remarks) {
  const auto& counts = target.class_counts;
  const auto rare = std::ranges::count_if(
      counts, [](std::size_t count) { return count < kMinClassRows; });
  if (rare > 0) {
    const auto rarest = std::ranges::min_element(counts);
    const auto place = static_cast<std::size_t>(rarest - counts.begin());
    remarks.push_back(
        fmt::format("{} of {} classes have fewer than {} rows ({} has {}); "
                    "predictions for them are unreliable",
                    rare, counts.size(), kMinClassRows,
                    in_quotes(target.classes[place]), *rarest));
  }
  const auto largest = std::ranges::max_element(counts);
  const double share =
      static_cast<double>(*largest) / static_cast<double>(row_count);
  if (share < kMajorityShare) return;
  const auto place = static_cast<std::size_t>(largest - counts.begin());
  remarks.push_back(fmt::format(
      "{} of {} rows are {}, so always predicting that class is right in "
      "{:.1f} % of them",
      *largest, row_count, in_quotes(target.classes[place]), 100 * share));
}

Result<TargetColumn> fit_classes(const Column& column, const Rows& rows,
                                 std::vector<std::string>& remarks) {
  if (column.kind == ColumnKind::Number) {
    return fit_classes(as_category(column), rows, remarks);
  }
  ClassCounts found = count_classes(column, rows);
  if (found.names.size() == 1) {
    return column_error(
        column,
        "has only one class, " + in_quotes(found.names.front()) +
            ", so there is nothing to classify; choose another target.");
  }
  if (found.names.size() > kMaxClasses) {
    return column_error(
        column, fmt::format("has {} distinct values, but at most {} classes "
                            "are supported; choose another target.",
                            found.names.size(), kMaxClasses));
  }
  for (const std::string& name : found.names) {
    RETURN_IF_ERROR(check_utf8(column, name));
  }
  TargetColumn target{.name = column.name,
                      .classes = std::move(found.names),
                      .class_counts = std::move(found.counts)};
  remark_on_classes(target, rows.size(), remarks);
  return target;
}

Result<TargetColumn> fit_number(const Column& column, const Rows& rows) {
  if (column.kind != ColumnKind::Number) {
    const auto code = static_cast<std::size_t>(column.codes[rows.front()]);
    return column_error(
        column,
        "contains text such as " + in_quotes(column.values[code]) +
            ", so it cannot be predicted as a number; use --task classify.");
  }
  ASSIGN_OR_RETURN(const Spread spread, compute_spread(column, rows));
  if (spread.deviation == 0) {
    return column_error(
        column, fmt::format("is always {}, so there is nothing to predict; "
                            "choose another target.",
                            column.numbers[rows.front()]));
  }
  return TargetColumn{
      .name = column.name, .mean = spread.mean, .deviation = spread.deviation};
}

}  // namespace

Result<TargetColumn> fit_target(const Column& column, TargetKind kind,
                                std::vector<std::string>& remarks) {
  RETURN_IF_ERROR(check_utf8(column, column.name));
  const Rows rows = known_rows(column);
  if (rows.empty()) {
    return column_error(column, "has no values; choose another target.");
  }
  const std::size_t count =
      std::max(column.numbers.size(), column.codes.size());
  if (rows.size() < count) {
    remarks.push_back(fmt::format("{} of {} rows have no {} and are skipped",
                                  count - rows.size(), count,
                                  in_quotes(column.name)));
  }
  if (kind == TargetKind::Number) return fit_number(column, rows);
  if (kind == TargetKind::Classes) return fit_classes(column, rows, remarks);
  if (column.kind == ColumnKind::Text) {
    return column_error(
        column, fmt::format("is text with {} distinct values, not a number or "
                            "a category; choose another target.",
                            column.values.size()));
  }
  return is_read_as_classes(column, rows, remarks)
             ? fit_classes(column, rows, remarks)
             : fit_number(column, rows);
}

}  // namespace lamarck::data
