#include "lamarck/data/table_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

namespace lamarck::data {
namespace {

std::size_t width_of(const InputColumn& input) {
  return input.kind == ColumnKind::Number ? 1 : input.categories.size();
}

bool is_number(std::string_view word) {
  return read_csv_number(word).kind == CsvNumber::Kind::Number;
}

// REQUIRES: something is known in the row.
std::string word_at(const Column& column, std::size_t row) {
  if (column.kind == ColumnKind::Number) {
    return fmt::format("{}", column.numbers[row]);
  }
  return column.values[static_cast<std::size_t>(column.codes[row])];
}

// A column of numbers. Fails at the first word that is none.
Result<std::vector<double>> numbers_of(const Column& column) {
  if (column.kind == ColumnKind::Number) return column.numbers;
  std::vector<double> numbers(column.codes.size(),
                              std::numeric_limits<double>::quiet_NaN());
  for (const std::size_t row : known_rows(column)) {
    const std::string word = word_at(column, row);
    if (!is_number(word)) {
      return column_error(column,
                          "held numbers when the encoding was fitted, "
                          "and now holds " +
                              in_quotes(word) + " in row " +
                              std::to_string(row + 1) +
                              "; correct it or leave it empty.");
    }
    numbers[row] = read_csv_number(word).value;
  }
  return numbers;
}

// (x - mean) / deviation to every `step`-th float; 0 for what is missing.
Result<void> write_standardised(const Column& column,
                                const std::vector<double>& numbers, double mean,
                                double deviation, std::size_t step,
                                float* out) {
  for (const double number : numbers) {
    const auto value = static_cast<float>(
        std::isnan(number) ? 0 : (number - mean) / deviation);
    if (!std::isfinite(value)) {
      return column_error(
          column, fmt::format("holds {}, which is too far from its mean {} "
                              "for a float; correct it or leave it empty.",
                              number, mean));
    }
    *out = value;
    out += step;
  }
  return {};
}

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
      ASSIGN_OR_RETURN(const std::vector<double> numbers, numbers_of(column));
      RETURN_IF_ERROR(write_standardised(column, numbers, input.mean,
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
      if (code >= 0) out[code] = 1;
      out += width_;
    }
    const auto unknown = std::ranges::count(codes, kUnknownCategory);
    if (unknown == 0) return;
    const auto first = std::ranges::find(codes, kUnknownCategory);
    encoded_.remarks.push_back(fmt::format(
        "column {}: {} of {} cells hold words that were not known when the "
        "encoding was fitted, such as {}; they count as missing",
        in_quotes(column.name), unknown, codes.size(),
        in_quotes(
            word_at(column, static_cast<std::size_t>(first - codes.begin())))));
  }

  std::size_t width_;
  EncodedRows encoded_;
  float* out_;  // Where the first row of the next column goes.
};

Result<std::vector<std::size_t>> find_inputs(
    const Table& table, const std::vector<InputColumn>& inputs) {
  std::vector<std::size_t> places;
  std::vector<std::string> absent;
  for (const InputColumn& input : inputs) {
    const Result<std::size_t> place = table.find(input.name);
    if (!place) absent.push_back(in_quotes(input.name));
    places.push_back(place.value_or(std::size_t{0}));
  }
  if (absent.empty()) return places;
  return Error(
      ErrorCode::NotFound,
      fmt::format("The table lacks {} of the {} columns that the encoding was "
                  "fitted on: {}.",
                  absent.size(), inputs.size(),
                  one_line(join_text(absent, ", "), 300)));
}

Result<Tensor> class_targets(const TargetColumn& target, const Column& column,
                             const Rows& rows) {
  const auto codes = category_codes(column, target.classes);
  std::vector<std::size_t> labels;
  for (const std::size_t row : rows) {
    if (codes[row] == kUnknownCategory) {
      return column_error(
          column, "holds the class " + in_quotes(word_at(column, row)) +
                      ", which was not there when the encoding "
                      "was fitted; there are " +
                      one_line(join_text(target.classes, ", "), 300) + ".");
    }
    labels.push_back(static_cast<std::size_t>(codes[row]));
  }
  return one_hot(labels, target.classes.size());
}

Result<Tensor> number_targets(const TargetColumn& target, const Column& column,
                              const Rows& rows) {
  ASSIGN_OR_RETURN(const std::vector<double> all, numbers_of(column));
  std::vector<double> numbers;
  for (const std::size_t row : rows) numbers.push_back(all[row]);
  Tensor targets =
      Tensor::uninitialized({static_cast<std::int64_t>(rows.size()), 1});
  RETURN_IF_ERROR(write_standardised(column, numbers, target.mean,
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

Result<EncodedRows> TableEncoding::encode(const Table& table) const {
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

Result<Dataset> TableEncoding::dataset(const Table& table) const {
  ASSIGN_OR_RETURN(const std::size_t place, table.find(target_.name));
  const Column& column = table.columns()[place];
  const Rows rows = known_rows(column);
  if (rows.empty()) {
    return column_error(column, "is the target and has no values at all.");
  }
  ASSIGN_OR_RETURN(const Tensor targets,
                   target_.has_classes()
                       ? class_targets(target_, column, rows)
                       : number_targets(target_, column, rows));
  ASSIGN_OR_RETURN(const EncodedRows encoded, encode(table));
  Tensor inputs =
      Tensor::uninitialized({static_cast<std::int64_t>(rows.size()),
                             static_cast<std::int64_t>(input_count())});
  gather_rows(encoded.inputs, rows, inputs);
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
          "TableEncoding::decode_classes: the target has classes");
  const std::size_t width = row_size(outputs, "TableEncoding::decode_classes");
  REQUIRE(width == output_count() || (width == 1 && output_count() == 2),
          "TableEncoding::decode_classes: there is a number for each class");
  std::vector<std::size_t> labels = predicted_classes(outputs);
  REQUIRE(std::ranges::all_of(
              labels, [&](std::size_t each) { return each < output_count(); }),
          "TableEncoding::decode_classes: a probability is at most 1");
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
          "TableEncoding::decode_numbers: the target is a number");
  REQUIRE(row_size(outputs, "TableEncoding::decode_numbers") == 1,
          "TableEncoding::decode_numbers: there is one number for each row");
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
