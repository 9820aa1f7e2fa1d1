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

constexpr std::size_t kMostWholeClasses = 10;
constexpr std::size_t kRareClass = 5;
constexpr double kLargeShare = 0.8;

// How many numbers differ; 0 if one of them is not whole.
std::size_t count_whole_numbers(const Column& column, const Rows& rows) {
  std::set<double> different;
  for (const std::size_t row : rows) {
    const double number = column.numbers[row];
    if (number != std::floor(number) || std::isinf(number)) return 0;
    different.insert(number);
  }
  return different.size();
}

bool are_likely_classes(std::size_t different, std::size_t rows) {
  if (different < 2 || different > kMostWholeClasses) return false;
  return rows >= different * (different == 2 ? 2 : 5);
}

// Says how whole numbers were read where one may think otherwise.
bool is_read_as_classes(const Column& column, const Rows& rows,
                        std::vector<std::string>& remarks) {
  if (column.kind != ColumnKind::Number) return true;
  const std::size_t different = count_whole_numbers(column, rows);
  const bool is_classes = are_likely_classes(different, rows.size());
  const std::string beginning =
      fmt::format("target {} has {} different whole numbers and is read as ",
                  in_quotes(column.name), different);
  if (is_classes) {
    remarks.push_back(beginning +
                      "classes; --task regress reads it as a number");
  } else if (different > 1 && different <= 2 * kMostWholeClasses) {
    remarks.push_back(beginning +
                      "a number; --task classify reads it as classes");
  }
  return is_classes;
}

void remark_on_classes(const TargetColumn& target, std::size_t row_count,
                       std::vector<std::string>& remarks) {
  const auto& counts = target.class_counts;
  const auto rare = std::ranges::count_if(
      counts, [](std::size_t count) { return count < kRareClass; });
  if (rare > 0) {
    const auto rarest = std::ranges::min_element(counts);
    const auto place = static_cast<std::size_t>(rarest - counts.begin());
    remarks.push_back(fmt::format(
        "{} of {} classes have fewer than {} rows, {} only {}; what is said "
        "about them is a guess",
        rare, counts.size(), kRareClass, in_quotes(target.classes[place]),
        *rarest));
  }
  const auto largest = std::ranges::max_element(counts);
  const double share =
      static_cast<double>(*largest) / static_cast<double>(row_count);
  if (share < kLargeShare) return;
  const auto place = static_cast<std::size_t>(largest - counts.begin());
  remarks.push_back(fmt::format(
      "{} of {} rows are {}, so always saying that is right in {:.1f} % of "
      "them",
      *largest, row_count, in_quotes(target.classes[place]), 100 * share));
}

Result<TargetColumn> fit_classes(const Column& column, const Rows& rows,
                                 std::vector<std::string>& remarks) {
  if (column.kind == ColumnKind::Number) {
    return fit_classes(as_category(column), rows, remarks);
  }
  ClassCounts found = count_classes(column, rows);
  if (found.names.size() == 1) {
    return column_error(column, "has one class only, " +
                                    in_quotes(found.names.front()) +
                                    ", so there is nothing to tell apart; "
                                    "choose another target.");
  }
  if (found.names.size() > kMostClasses) {
    return column_error(
        column, fmt::format("has {} different values, more than the {} classes "
                            "that are possible; choose another target.",
                            found.names.size(), kMostClasses));
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
    return column_error(column, "has words such as " +
                                    in_quotes(column.values[code]) +
                                    ", so it is not a number to predict; read "
                                    "it as classes.");
  }
  ASSIGN_OR_RETURN(const Spread spread, spread_of(column, rows));
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
    return column_error(column, "has no values at all; choose another target.");
  }
  const std::size_t count =
      std::max(column.numbers.size(), column.codes.size());
  if (rows.size() < count) {
    remarks.push_back(fmt::format("{} of {} rows have no {} and are left out",
                                  count - rows.size(), count,
                                  in_quotes(column.name)));
  }
  if (kind == TargetKind::Number) return fit_number(column, rows);
  if (kind == TargetKind::Classes) return fit_classes(column, rows, remarks);
  if (column.kind == ColumnKind::Text) {
    return column_error(
        column, fmt::format("is text with {} different values, not a number or "
                            "a category; choose another target.",
                            column.values.size()));
  }
  return is_read_as_classes(column, rows, remarks)
             ? fit_classes(column, rows, remarks)
             : fit_number(column, rows);
}

}  // namespace lamarck::data
