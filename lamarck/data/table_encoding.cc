#include "lamarck/data/table_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/data/internal/category_codes.h"
#include "lamarck/data/internal/column_statistics.h"
#include "lamarck/data/internal/csv_number.h"
#include "lamarck/data/rows.h"
#include "lamarck/data/time_columns.h"

namespace lamarck::data {
namespace {

// The number of inputs that a column becomes.
std::size_t width_of(const InputColumn& input) {
  return input.kind == ColumnKind::Number ? 1 : input.categories.size();
}

bool is_number(std::string_view word) {
  return read_csv_number(word).kind == CsvNumber::Kind::Number;
}

// REQUIRES: the cell is not missing.
std::string word_at(const Column& column, std::size_t row) {
  if (column.kind == ColumnKind::Number) {
    return fmt::format("{}", column.numbers[row]);
  }
  return column.values[static_cast<std::size_t>(column.codes[row])];
}

// The column as numbers, NaN where missing. Fails at the first word that is not
// a number.
Result<std::vector<double>> parse_numbers(const Column& column) {
  if (column.kind == ColumnKind::Number) return column.numbers;
  std::vector<double> numbers(column.codes.size(),
                              std::numeric_limits<double>::quiet_NaN());
  for (const std::size_t row : known_rows(column)) {
    const std::string word = word_at(column, row);
    if (!is_number(word)) {
      return column_error(
          column, "was numeric when the encoding was fitted, but contains " +
                      in_quotes(word) + " in row " + std::to_string(row + 1) +
                      "; correct the cell or leave it empty.");
    }
    numbers[row] = read_csv_number(word).value;
  }
  return numbers;
}

// Writes (x - mean) / deviation to every `step`-th float; missing cells become
// 0, which is the mean.
Result<void> write_standardized(const Column& column,
                                const std::vector<double>& numbers, double mean,
                                double deviation, std::size_t step,
                                float* out) {
  for (const double number : numbers) {
    const auto value = static_cast<float>(
        std::isnan(number) ? 0 : (number - mean) / deviation);
    if (std::isinf(number)) return float_error(column, number);
    if (!std::isfinite(value)) {
      return column_error(
          column,
          fmt::format(
              "contains {}, which is too far from the mean {} to fit into a "
              "32-bit float; correct the cell or leave it empty.",
              number, mean));
    }
    *out = value;
    out += step;
  }
  return {};
}

// Fills the encoded inputs column by column.
class RowWriter {
 public:
  RowWriter(const Table& table, std::size_t width)
      : width_(width),
        encoded_{.inputs = Tensor::zeros(
                     {static_cast<std::int64_t>(table.row_count()),
                      static_cast<std::int64_t>(width)})},
        out_(encoded_.inputs.begin_of_data()) {
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      encoded_.rows.push_back(row);
    }
  }

  Result<void> write(const InputColumn& input, const Column& column) {
    if (input.kind == ColumnKind::Number) {
      ASSIGN_OR_RETURN(const std::vector<double> numbers,
                       parse_numbers(column));
      RETURN_IF_ERROR(write_standardized(column, numbers, input.mean,
                                         input.deviation, width_, out_));
    } else {
      write_category(input, column);
    }
    out_ += width_of(input);
    return {};
  }

  EncodedRows finish() && { return std::move(encoded_); }

 private:
  void write_category(const InputColumn& input, const Column& column) {
    const auto codes = category_codes(column, input.categories);
    float* out = out_;
    for (const std::int32_t code : codes) {
      // Missing and unknown categories have negative codes and stay all 0.
      if (code >= 0) out[code] = 1;
      out += width_;
    }
    const auto unknown = std::ranges::count(codes, kUnknownCategory);
    if (unknown == 0) return;
    const auto first = std::ranges::find(codes, kUnknownCategory);
    encoded_.remarks.push_back(fmt::format(
        "column {}: {} of {} cells contain categories that the encoding was "
        "not fitted on, such as {}; they are treated as missing",
        in_quotes(column.name), unknown, codes.size(),
        in_quotes(
            word_at(column, static_cast<std::size_t>(first - codes.begin())))));
  }

  std::size_t width_;
  EncodedRows encoded_;
  float* out_;  // The first row of the next column; points into encoded_.
};

// Finds all input columns; the error lists every missing one at once.
Result<std::vector<std::size_t>> find_inputs(
    const Table& table, const std::vector<InputColumn>& inputs) {
  std::vector<std::size_t> places;
  std::vector<std::string> missing;
  for (const InputColumn& input : inputs) {
    const Result<std::size_t> place = table.find(input.name);
    if (!place) missing.push_back(in_quotes(input.name));
    places.push_back(place.value_or(std::size_t{0}));
  }
  if (missing.empty()) return places;
  return Error(
      ErrorCode::InvalidArgument,
      fmt::format("The table lacks {} of the {} columns that the model "
                  "was trained on: {}.",
                  missing.size(), inputs.size(),
                  one_line(join_text(missing, ", "), 300)));
}

// The table with the parts of its times, if the inputs need them.
Result<std::optional<Table>> split_times(
    const Table& table, const std::vector<InputColumn>& inputs) {
  std::vector<std::string> names;
  bool has_times = false;
  for (const InputColumn& input : inputs) {
    names.push_back(input.name);
    const std::string_view time = time_column_name(input.name);
    if (time.empty() || table.find(input.name)) continue;
    has_times = true;
    const auto place = table.find(time);
    if (!place || is_time_column(table.columns()[*place])) continue;
    return column_error(
        table.columns()[*place],
        "had only times such as 2024-02-29 or 2024-02-29 13:05 when the "
        "encoding was fitted; correct the other cells or leave them empty.");
  }
  if (!has_times) return std::optional<Table>();
  return with_time_columns(table, names);
}

// Unlike an input, a target must not have an unknown class.
Result<Tensor> class_targets(const TargetColumn& target, const Column& column,
                             const Rows& rows) {
  const auto codes = category_codes(column, target.classes);
  std::vector<std::size_t> labels;
  for (const std::size_t row : rows) {
    if (codes[row] == kUnknownCategory) {
      return column_error(
          column,
          "contains the class " + in_quotes(word_at(column, row)) +
              ", which the encoding was not fitted on; the known classes are " +
              one_line(join_text(target.classes, ", "), 300) + ".");
    }
    labels.push_back(static_cast<std::size_t>(codes[row]));
  }
  return one_hot(labels, target.classes.size());
}

Result<Tensor> number_targets(const TargetColumn& target, const Column& column,
                              const Rows& rows) {
  ASSIGN_OR_RETURN(const std::vector<double> all, parse_numbers(column));
  std::vector<double> numbers;
  for (const std::size_t row : rows) numbers.push_back(all[row]);
  Tensor targets =
      Tensor::uninitialized({static_cast<std::int64_t>(rows.size()), 1});
  RETURN_IF_ERROR(write_standardized(column, numbers, target.mean,
                                     target.deviation, 1,
                                     targets.begin_of_data()));
  return targets;
}

}  // namespace

TableEncoding::TableEncoding(std::vector<InputColumn> inputs,
                             TargetColumn target,
                             std::vector<DroppedColumn> dropped,
                             std::vector<std::string> remarks)
    : inputs_(std::move(inputs)),
      target_(std::move(target)),
      dropped_(std::move(dropped)),
      remarks_(std::move(remarks)) {}

std::size_t TableEncoding::input_count() const {
  std::size_t count = 0;
  for (const InputColumn& input : inputs_) count += width_of(input);
  return count;
}

std::size_t TableEncoding::output_count() const {
  return target_.has_classes() ? target_.classes.size() : 1;
}

std::vector<std::string> TableEncoding::input_names() const {
  std::vector<std::string> names;
  for (const InputColumn& input : inputs_) {
    if (input.kind == ColumnKind::Number) names.push_back(input.name);
    for (const std::string& category : input.categories) {
      names.push_back(input.name + "=" + category);
    }
  }
  return names;
}

Result<EncodedRows> TableEncoding::encode(const Table& given) const {
  ASSIGN_OR_RETURN(const std::optional<Table> timed,
                   split_times(given, inputs_));
  const Table& table = timed ? *timed : given;
  ASSIGN_OR_RETURN(const std::vector<std::size_t> places,
                   find_inputs(table, inputs_));
  RowWriter writer(table, input_count());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    RETURN_IF_ERROR(writer.write(inputs_[i], table.columns()[places[i]]));
  }
  return std::move(writer).finish();
}

Result<std::vector<std::size_t>> TableEncoding::rows_with_target(
    const Table& table) const {
  ASSIGN_OR_RETURN(const std::size_t place, table.find(target_.name));
  return known_rows(table.columns()[place]);
}

Result<Tensor> TableEncoding::targets(const Table& table) const {
  ASSIGN_OR_RETURN(const std::size_t place, table.find(target_.name));
  const Column& column = table.columns()[place];
  const Rows rows = known_rows(column);
  if (rows.empty()) {
    return column_error(column, "is the target, but has no values.");
  }
  return target_.has_classes() ? class_targets(target_, column, rows)
                               : number_targets(target_, column, rows);
}

Result<Dataset> TableEncoding::dataset(const Table& table) const {
  ASSIGN_OR_RETURN(const Tensor targets, this->targets(table));
  ASSIGN_OR_RETURN(const Rows rows, rows_with_target(table));
  ASSIGN_OR_RETURN(const EncodedRows encoded, encode(table));
  Tensor inputs =
      Tensor::uninitialized({static_cast<std::int64_t>(rows.size()),
                             static_cast<std::int64_t>(input_count())});
  gather_rows(encoded.inputs, rows, inputs);
  // `inputs` was encoded for all rows; only those with a target are kept.
  const bool has_classes = target_.has_classes();
  return Dataset(
      inputs, targets,
      {.inputs = input_names(),
       .targets = has_classes ? target_.classes
                              : std::vector<std::string>{target_.name},
       .classes = target_.classes});
}

std::vector<std::size_t> TableEncoding::decoded_labels(
    const Tensor& outputs) const {
  REQUIRE(target_.has_classes(),
          "TableEncoding::decode_classes: the target must have classes, but "
          "'{}' is a number.",
          target_.name);
  const std::size_t width = row_size(outputs, "TableEncoding::decode_classes");
  // For two classes, one column may hold the probability of the second.
  REQUIRE(width == output_count() || (width == 1 && output_count() == 2),
          "TableEncoding::decode_classes: each row must have one number for "
          "each of the {} classes, got {}.",
          output_count(), width);
  std::vector<std::size_t> labels = predicted_classes(outputs);
  REQUIRE(
      std::ranges::all_of(
          labels, [&](std::size_t each) { return each < output_count(); }),
      "TableEncoding::decode_classes: probabilities must be at most 1, got {}.",
      std::ranges::max(outputs.to_vector()));
  return labels;
}

std::vector<std::string> TableEncoding::decode_classes(
    const Tensor& outputs) const {
  std::vector<std::string> names;
  for (const std::size_t label : decoded_labels(outputs)) {
    names.push_back(target_.classes[label]);
  }
  return names;
}

std::vector<double> TableEncoding::decode_numbers(const Tensor& outputs) const {
  REQUIRE(!target_.has_classes(),
          "TableEncoding::decode_numbers: the target must be a number, but "
          "'{}' has classes.",
          target_.name);
  REQUIRE(row_size(outputs, "TableEncoding::decode_numbers") == 1,
          "TableEncoding::decode_numbers: each row must have one number, got "
          "shape {}.",
          outputs.shape().to_string());
  std::vector<double> numbers;
  for (const float output : outputs.to_vector()) {
    numbers.push_back(double{output} * target_.deviation + target_.mean);
  }
  return numbers;
}

Column TableEncoding::decode(const Tensor& outputs) const {
  Column column{.name = target_.name};
  if (!target_.has_classes()) {
    column.numbers = decode_numbers(outputs);
    return column;
  }
  // A table read from a file had these classes as numbers, so they are returned
  // as numbers.
  const bool is_numbers = std::ranges::all_of(target_.classes, is_number);
  if (!is_numbers) {
    column.kind = ColumnKind::Category;
    column.values = target_.classes;
  }
  for (const std::size_t label : decoded_labels(outputs)) {
    if (is_numbers) {
      column.numbers.push_back(read_csv_number(target_.classes[label]).value);
    } else {
      column.codes.push_back(static_cast<std::int32_t>(label));
    }
  }
  return column;
}

}  // namespace lamarck::data
