#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/data/id_name.h"
#include "lamarck/data/internal/column_statistics.h"
#include "lamarck/data/internal/column_tensor.h"
#include "lamarck/data/internal/target_fit.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/data/time_columns.h"

namespace lamarck::data {
namespace {

// A category with more values gets a remark, because each becomes an input.
constexpr std::size_t kManyCategories = 50;

// Whether the numbers increase by 1 from row to row.
bool is_row_number(const Column& column, const Table& table) {
  for (std::size_t row = 1; row < table.row_count(); ++row) {
    if (column.numbers[row] != column.numbers[row - 1] + 1) return false;
  }
  return table.row_count() > 2;
}

// Whether no two rows have the same integer, and the column has the name of an
// id, or long numbers of equal length, such as those of orders or telephones.
bool is_likely_id(const Column& column, const Rows& known) {
  constexpr std::size_t kMinRows = 20;  // Few numbers differ by chance.
  constexpr double kMinLong = 1e5;
  if (known.size() < kMinRows) return false;
  std::vector<double> numbers;
  for (const std::size_t row : known) numbers.push_back(column.numbers[row]);
  if (!std::ranges::all_of(
          numbers, [](double x) { return x >= 0 && x == std::floor(x); })) {
    return false;
  }
  std::ranges::sort(numbers);
  const double first = numbers.front();
  const bool is_long =
      first >= kMinLong &&
      std::floor(std::log10(first)) == std::floor(std::log10(numbers.back()));
  if (!is_long && !is_id_name(column.name)) return false;
  return std::ranges::adjacent_find(numbers) == numbers.end();
}

// Collects the inputs column by column, and the columns it drops.
class InputFit {
 public:
  InputFit(const Table& table, const Rows& rows, bool drop_text)
      : table_(table), rows_(rows), drop_text_(drop_text) {}

  Result<void> add(const Column& column) {
    RETURN_IF_ERROR(check_utf8(column, column.name));
    if (column.kind == ColumnKind::Number) return add_numbers(column);
    if (column.kind == ColumnKind::Category) return add_category(column);
    const std::string what =
        fmt::format("is text with {} distinct values", column.values.size());
    if (drop_text_) {
      drop(column, what);
      return {};
    }
    return column_error(
        column, what + ", not a number or a category; ignore the column.");
  }

  std::vector<InputColumn> inputs;
  std::vector<DroppedColumn> dropped;
  std::vector<std::string> remarks;

 private:
  void drop(const Column& column, std::string reason) {
    dropped.push_back({column.name, std::move(reason)});
  }

  Result<void> add_numbers(const Column& column) {
    const Rows known = known_rows(column, rows_);
    if (known.empty()) {
      drop(column, "has no values");
      return {};
    }
    ASSIGN_OR_RETURN(const Spread spread, compute_spread(column, known));
    if (spread.deviation == 0) {
      // A part of a time, such as the hour of dates, needs no mention.
      if (!time_column_name(column.name).empty()) return {};
      drop(column, fmt::format("is always {}", column.numbers[known.front()]));
      return {};
    }
    // Both conditions are required: a counter with another name may be a time.
    if ((is_id_name(column.name) || column.name == "column_1") &&
        is_row_number(column, table_)) {
      drop(column, "is a row number");
      return {};
    }
    if (is_likely_id(column, known)) {
      remarks.push_back(fmt::format(
          "column {} has another integer in every row, as ids have, and is an "
          "input; leave it out with --ignore if it says nothing about the row",
          in_quotes(column.name)));
    }
    inputs.push_back({.name = column.name,
                      .mean = spread.mean,
                      .deviation = spread.deviation});
    return {};
  }

  Result<void> add_category(const Column& column) {
    const Rows known = known_rows(column, rows_);
    const ClassCounts found = count_classes(column, known);
    if (known.empty()) {
      drop(column, "has no values");
      return {};
    }
    // One value with gaps is kept: whether it is missing may carry information.
    if (found.names.size() == 1 && known.size() == rows_.size()) {
      drop(column, "is always " + in_quotes(found.names.front()));
      return {};
    }
    for (const std::string& name : found.names) {
      RETURN_IF_ERROR(check_utf8(column, name));
    }
    if (found.names.size() > kManyCategories) {
      remarks.push_back(fmt::format(
          "column {} has {} distinct categories and becomes {} inputs",
          in_quotes(column.name), found.names.size(), found.names.size()));
    }
    inputs.push_back({.name = column.name,
                      .kind = ColumnKind::Category,
                      .categories = found.names});
    return {};
  }

  const Table& table_;
  const Rows& rows_;
  bool drop_text_;
};

Result<std::vector<bool>> columns_to_read(
    const Table& table, std::size_t target,
    const std::vector<std::string>& ignore) {
  std::vector<bool> is_input(table.columns().size(), true);
  for (const std::string& name : ignore) {
    ASSIGN_OR_RETURN(const std::size_t place, table.find(name));
    if (place == target) {
      return column_error(table.columns()[place],
                          "is the target, so it cannot be ignored.");
    }
    is_input[place] = false;
  }
  is_input[target] = false;
  return is_input;
}

Error no_input_left(const Column& target,
                    const std::vector<DroppedColumn>& dropped) {
  std::vector<std::string> reasons;
  for (const DroppedColumn& each : dropped) {
    reasons.push_back(in_quotes(each.name) + " " + each.reason);
  }
  const std::string why =
      reasons.empty() ? "."
                      : ": " + one_line(join_text(reasons, ", "), 300) + ".";
  return column_error(
      target,
      "is the target, and no other column can be used as an input" + why);
}

}  // namespace

Result<TableEncoding> TableEncoding::fit(const Table& given,
                                         const TableEncodingOptions& options) {
  const auto found = given.find(options.target);
  if (!found) return found.error();
  if (given.row_count() == 0) return no_rows_error();
  std::vector<std::string> as_they_are = options.ignore;
  as_they_are.push_back(options.target);
  const std::optional<Table> timed = with_time_columns(given, as_they_are);
  const Table& table = timed ? *timed : given;
  ASSIGN_OR_RETURN(const std::size_t place, table.find(options.target));
  const Column& target = table.columns()[place];
  std::vector<std::string> remarks;
  ASSIGN_OR_RETURN(TargetColumn fitted,
                   fit_target(target, options.target_kind, remarks));
  ASSIGN_OR_RETURN(const std::vector<bool> is_input,
                   columns_to_read(table, place, options.ignore));
  const Rows rows = known_rows(target);
  InputFit fit(table, rows, options.drop_text);
  for (std::size_t i = 0; i < is_input.size(); ++i) {
    if (is_input[i]) RETURN_IF_ERROR(fit.add(table.columns()[i]));
  }
  if (fit.inputs.empty()) return no_input_left(target, fit.dropped);
  for (const Column& column : given.columns()) {
    if (!timed || timed->find(column.name)) continue;
    remarks.push_back(fmt::format(
        "column {} has times; the inputs are its day, and the time of day, the "
        "weekday and the day of the year as angles, as far as they differ",
        in_quotes(column.name)));
  }
  std::ranges::move(fit.remarks, std::back_inserter(remarks));
  return TableEncoding(std::move(fit.inputs), std::move(fitted),
                       std::move(fit.dropped), std::move(remarks));
}

}  // namespace lamarck::data
