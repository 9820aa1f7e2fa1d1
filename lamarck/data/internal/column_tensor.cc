#include "lamarck/data/internal/column_tensor.h"

#include <fmt/format.h>

#include <cmath>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::data {
namespace {

// The mean over all rows that are not missing.
double mean_of(const Column& column) {
  double sum = 0;
  double count = 0;
  for (const double number : column.numbers) {
    if (std::isnan(number)) continue;
    sum += number;
    ++count;
  }
  return sum / count;
}

// Writes one-hot rows. REQUIRES: the output is zeroed.
void write_category(const Column& column, const Rows& rows, std::size_t step,
                    float* out) {
  for (const std::size_t row : rows) {
    if (!column.is_missing(row)) out[column.codes[row]] = 1;
    out += step;
  }
}

}  // namespace

Error column_error(const Column& column, const std::string& what) {
  return {ErrorCode::InvalidArgument,
          "Column " + in_quotes(column.name) + " " + what,
          {{"column", column.name}}};
}

Error float_error(const Column& column, double number) {
  return column_error(
      column,
      fmt::format("contains {}, which {}", number,
                  std::isinf(number) ? "is not a finite number; correct the "
                                       "cell or leave it empty."
                                     : "does not fit into a 32-bit float; "
                                       "scale or ignore the column."));
}

Result<void> write_numbers(const Column& column, const Rows& rows,
                           std::size_t step, float* out) {
  const double mean = mean_of(column);
  for (const std::size_t row : rows) {
    const double number = column.numbers[row];
    const double known = std::isnan(number) ? mean : number;
    const auto value = static_cast<float>(known);
    if (!std::isfinite(value)) {
      return float_error(column, known);
    }
    *out = value;
    out += step;
  }
  return {};
}

std::vector<std::string> input_names(const Columns& columns) {
  std::vector<std::string> names;
  for (const Column* column : columns) {
    if (column->kind == ColumnKind::Number) names.push_back(column->name);
    for (const std::string& value : column->values) {
      names.push_back(column->name + "=" + value);
    }
  }
  return names;
}

Result<Tensor> input_tensor(const Columns& columns, const Rows& rows) {
  const std::size_t width = input_names(columns).size();
  Tensor inputs = Tensor::zeros({static_cast<std::int64_t>(rows.size()),
                                 static_cast<std::int64_t>(width)});
  // Columns are written one after another, with the row width as the stride.
  float* out = inputs.begin_of_data();
  for (const Column* column : columns) {
    if (column->kind == ColumnKind::Number) {
      RETURN_IF_ERROR(write_numbers(*column, rows, width, out));
      ++out;
    } else {
      write_category(*column, rows, width, out);
      out += column->values.size();
    }
  }
  return inputs;
}

}  // namespace lamarck::data
