#include "lamarck/data/to_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/data/internal/category_codes.h"
#include "lamarck/data/internal/column_tensor.h"

namespace lamarck::data {
namespace {

// The number of rows in which the column has no value.
std::size_t missing_count(const Table& table, const Column& column) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (column.is_missing(row)) ++count;
  }
  return count;
}

// Fails for a column that cannot become numbers.
Result<void> check_input(const Table& table, const Column& column) {
  if (column.kind == ColumnKind::Text) {
    return column_error(column,
                        fmt::format("is text with {} distinct values, not a "
                                    "number or a category; ignore the column.",
                                    column.values.size()));
  }
  if (missing_count(table, column) == table.row_count()) {
    return column_error(column, "has no values; ignore the column.");
  }
  return {};
}

// All columns except the target and the ignored ones.
Result<Columns> input_columns(const Table& table, std::size_t target,
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
  Columns columns;
  for (std::size_t i = 0; i < is_input.size(); ++i) {
    if (!is_input[i]) continue;
    RETURN_IF_ERROR(check_input(table, table.columns()[i]));
    columns.push_back(&table.columns()[i]);
  }
  if (columns.empty()) {
    return column_error(
        table.columns()[target],
        "is the target, and no other column can be used as an input.");
  }
  return columns;
}

// Names the column with the most missing cells, the likeliest cause.
Error no_rows_left(const Table& table, const Column& target, Columns columns) {
  columns.push_back(&target);
  const Column* worst = *std::ranges::max_element(
      columns, {},
      [&](const Column* each) { return missing_count(table, *each); });
  return column_error(
      *worst,
      fmt::format("is missing {} of {} values, and no row is complete; ignore "
                  "the column, or fill missing numbers with the mean.",
                  missing_count(table, *worst), table.row_count()));
}

// The rows that are complete enough to use. A missing target is never filled,
// because the model would learn the filled value.
Result<Rows> kept_rows(const Table& table, const Column& target,
                       const Columns& inputs, MissingCells missing) {
  Rows rows;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const bool is_incomplete =
        missing == MissingCells::Drop &&
        std::ranges::any_of(
            inputs, [&](const Column* each) { return each->is_missing(row); });
    if (!is_incomplete && !target.is_missing(row)) rows.push_back(row);
  }
  if (rows.empty()) return no_rows_left(table, target, inputs);
  return rows;
}

struct Targets {
  Tensor tensor;
  std::vector<std::string> names;
  std::vector<std::string> classes;
};

// All values of the column become classes, even if dropped rows were the only
// ones with some of them.
Result<Targets> class_targets(const Column& target, const Rows& rows) {
  if (target.kind == ColumnKind::Number) {
    return class_targets(as_category(target), rows);
  }
  if (target.values.size() > kMaxClasses) {
    return column_error(
        target,
        fmt::format(
            "has {} distinct values, but at most {} classes are supported.",
            target.values.size(), kMaxClasses));
  }
  std::vector<std::size_t> labels;
  for (const std::size_t row : rows) {
    labels.push_back(static_cast<std::size_t>(target.codes[row]));
  }
  return Targets{one_hot(labels, target.values.size()), target.values,
                 target.values};
}

Result<Targets> number_targets(const Column& target, const Rows& rows) {
  if (target.kind != ColumnKind::Number) {
    return column_error(
        target, "contains text, so it cannot be predicted as a number.");
  }
  Tensor tensor =
      Tensor::uninitialized({static_cast<std::int64_t>(rows.size()), 1});
  RETURN_IF_ERROR(write_numbers(target, rows, 1, tensor.begin_of_data()));
  return Targets{tensor, {target.name}, {}};
}

Result<Targets> make_targets(const Column& target, const Rows& rows,
                             TargetKind kind) {
  if (kind == TargetKind::Auto && target.kind == ColumnKind::Text) {
    return column_error(
        target, fmt::format("is text with {} distinct values, not a number or "
                            "a category; choose another target.",
                            target.values.size()));
  }
  const bool is_number =
      kind == TargetKind::Number ||
      (kind == TargetKind::Auto && target.kind == ColumnKind::Number);
  return is_number ? number_targets(target, rows) : class_targets(target, rows);
}

}  // namespace

Result<Dataset> to_dataset(const Table& table,
                           const ToDatasetOptions& options) {
  ASSIGN_OR_RETURN(const std::size_t place, table.find(options.target));
  const Column& target = table.columns()[place];
  ASSIGN_OR_RETURN(const Columns columns,
                   input_columns(table, place, options.ignore));
  ASSIGN_OR_RETURN(const Rows rows,
                   kept_rows(table, target, columns, options.missing));
  ASSIGN_OR_RETURN(Targets targets,
                   make_targets(target, rows, options.target_kind));
  ASSIGN_OR_RETURN(const Tensor inputs, input_tensor(columns, rows));
  return Dataset(inputs, targets.tensor,
                 {.inputs = input_names(columns),
                  .targets = std::move(targets.names),
                  .classes = std::move(targets.classes)});
}

}  // namespace lamarck::data
