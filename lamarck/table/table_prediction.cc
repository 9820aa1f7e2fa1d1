#include "lamarck/table/table_prediction.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/data/metrics.h"
#include "lamarck/evolution/training.h"
#include "lamarck/table/prediction_intervals.h"
#include "lamarck/table/series_prediction.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::ColumnKind;
using data::Table;
using data::TableEncoding;

Error unsupported(std::string message) {
  return Error(ErrorCode::Unsupported, std::move(message));
}

// Returns probabilities of shape [n, classes], also if the network has one
// output for two classes, the probability of the second.
Tensor probabilities(const Tensor& outputs, const TableEncoding& encoding) {
  const auto classes = static_cast<std::int64_t>(encoding.output_count());
  if (outputs.size(1) == classes) return outputs;
  Tensor both = Tensor::zeros({outputs.size(0), classes});
  for (std::int64_t row = 0; row < outputs.size(0); ++row) {
    both.at({row, 0}) = 1 - outputs.at({row, 0});
    both.at({row, 1}) = outputs.at({row, 0});
  }
  return both;
}

// Returns the double with the same shortest decimal
// form as the float: 0.1, not 0.10000000149.
double short_double(float value) { return std::stod(fmt::format("{}", value)); }
// The same for a sum of a double and a float,
// which has at most 9 significant digits.
double short_double(double value) {
  return std::stod(fmt::format("{:.9g}", value));
}

Table prediction_table(const Tensor& outputs, const TableEncoding& encoding) {
  std::vector<Column> columns = {encoding.decode(outputs)};
  columns[0].name = "prediction";
  if (!encoding.target().has_classes()) return Table(std::move(columns));
  const Tensor shares = probabilities(outputs, encoding);
  for (std::size_t i = 0; i < encoding.output_count(); ++i) {
    Column column{.name = "probability_" + encoding.target().classes[i],
                  .kind = ColumnKind::Number,
                  .numbers = {},
                  .codes = {},
                  .values = {}};
    for (std::int64_t row = 0; row < shares.size(0); ++row) {
      column.numbers.push_back(
          short_double(shares.at({row, static_cast<std::int64_t>(i)})));
    }
    columns.push_back(std::move(column));
  }
  return Table(std::move(columns));
}

Tensor select_rows(const Tensor& all, const std::vector<std::size_t>& rows) {
  Tensor picked =
      Tensor::zeros({static_cast<std::int64_t>(rows.size()), all.size(1)});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::int64_t j = 0; j < all.size(1); ++j) {
      picked.at({static_cast<std::int64_t>(i), j}) =
          all.at({static_cast<std::int64_t>(rows[i]), j});
    }
  }
  return picked;
}

// Converts standardized values back to the units of the table.
Tensor unscaled(Tensor values, const data::TargetColumn& target) {
  for (std::int64_t i = 0; i < values.size(0); ++i) {
    values.at({i, 0}) = static_cast<float>(
        static_cast<double>(values.at({i, 0})) * target.deviation +
        target.mean);
  }
  return values;
}

// Returns the metric that the model evolved
// with, or the default for its target.
Result<data::Metric> find_metric(const TableModel& model) {
  const auto note = model.evolved.notes.find("metric");
  if (note != model.evolved.notes.end()) {
    return data::find_metric(note->second);
  }
  return model.encoding.target().has_classes()
             ? data::Metric::Accuracy
             : data::Metric::RootMeanSquaredError;
}

// Sets the score if the table has targets.
Result<void> add_score(const TableModel& model, const Table& table,
                       const Tensor& outputs, TablePrediction& prediction) {
  const TableEncoding& encoding = model.encoding;
  const data::TargetColumn& target = encoding.target();
  ASSIGN_OR_RETURN(const auto metric, find_metric(model));
  prediction.metric = metric.name;
  if (!table.find(target.name)) return {};
  const auto known = encoding.dataset(table);
  const auto rows = encoding.rows_with_target(table);
  if (!known || !rows) {
    prediction.remarks.push_back(
        "No score: " + (known ? rows.error() : known.error()).message());
    return {};
  }
  if (rows->empty()) return {};
  Tensor predicted = select_rows(outputs, *rows);
  Tensor actual = known->targets().contiguous();
  if (!target.has_classes()) {
    predicted = unscaled(std::move(predicted), target);
    actual = unscaled(actual.clone(), target);
  } else {
    predicted = probabilities(predicted, encoding);
  }
  prediction.score = metric.function(predicted, actual);
  prediction.scored_rows = rows->size();
  return {};
}

// ---- Intervals.

Result<double> find_bound(const TableModel& model, double level) {
  const auto note = model.evolved.notes.find("intervals");
  if (note == model.evolved.notes.end()) {
    return unsupported(
        "The model has no intervals, because it was made by an earlier "
        "version; evolve it again.");
  }
  ASSIGN_OR_RETURN(const auto intervals,
                   PredictionIntervals::parse(note->second));
  return intervals.bound(level);
}

Column shifted_column(const Column& from, std::string name, double by) {
  Column column = from;
  column.name = std::move(name);
  for (double& value : column.numbers) value = short_double(value + by);
  return column;
}

// The classes whose probability is at least 1 - bound, and the most likely one.
std::string prediction_set(const Tensor& shares, std::int64_t row, double bound,
                           const std::vector<std::string>& classes) {
  std::int64_t likely = 0;
  for (std::int64_t i = 1; i < shares.size(1); ++i) {
    if (shares.at({row, i}) > shares.at({row, likely})) likely = i;
  }
  std::string text;
  for (std::int64_t i = 0; i < shares.size(1); ++i) {
    if (i != likely && 1 - double{shares.at({row, i})} > bound) continue;
    text += (text.empty() ? "" : "|") + classes[static_cast<std::size_t>(i)];
  }
  return text;
}

Column make_set_column(const Tensor& shares, double bound,
                       const std::vector<std::string>& classes) {
  Column column{.name = "prediction_set",
                .kind = ColumnKind::Category,
                .numbers = {},
                .codes = {},
                .values = {}};
  for (std::int64_t row = 0; row < shares.size(0); ++row) {
    const std::string text = prediction_set(shares, row, bound, classes);
    auto known = std::ranges::find(column.values, text);
    if (known == column.values.end()) {
      column.values.push_back(text);
      known = column.values.end() - 1;
    }
    column.codes.push_back(
        static_cast<std::int32_t>(known - column.values.begin()));
  }
  return column;
}

// `outputs` may be empty for numbers.
Result<void> add_intervals(const TableModel& model, const Tensor& outputs,
                           double level, TablePrediction& prediction) {
  ASSIGN_OR_RETURN(const double bound, find_bound(model, level));
  std::vector<Column> columns = prediction.table.columns();
  const data::TargetColumn& target = model.encoding.target();
  if (target.has_classes()) {
    columns.push_back(make_set_column(probabilities(outputs, model.encoding),
                                      bound, target.classes));
  } else {
    columns.push_back(shifted_column(columns[0], "prediction_low", -bound));
    columns.push_back(shifted_column(columns[0], "prediction_high", bound));
  }
  prediction.table = Table(std::move(columns));
  return {};
}

Error non_finite_output(std::size_t row) {
  return Error(ErrorCode::InvalidArgument,
               fmt::format("The model's output for row {} is not finite; the "
                           "values of the row are too far from the training "
                           "data.",
                           row + 1));
}

Result<TablePrediction> predict_rows(const TableModel& model,
                                     const Table& table,
                                     std::optional<double> level) {
  ASSIGN_OR_RETURN(const data::EncodedRows rows, model.encoding.encode(table));
  const Tensor outputs =
      evolution::predict(model.evolved.network, rows.inputs.contiguous())
          .contiguous();
  const std::span<const float> all = outputs.data();
  const auto invalid =
      std::ranges::find_if(all, [](float x) { return !std::isfinite(x); });
  if (invalid != all.end()) {
    return non_finite_output(static_cast<std::size_t>(invalid - all.begin()) /
                             static_cast<std::size_t>(outputs.size(1)));
  }
  TablePrediction prediction{.table = prediction_table(outputs, model.encoding),
                             .metric = {},
                             .score = std::nullopt,
                             .remarks = rows.remarks};
  RETURN_IF_ERROR(add_score(model, table, outputs, prediction));
  if (level) RETURN_IF_ERROR(add_intervals(model, outputs, *level, prediction));
  return prediction;
}

// Sets the score over the rows whose future is in the table.
Result<void> add_series_score(const TableModel& model, std::size_t horizon,
                              const SeriesPrediction& series,
                              TablePrediction& prediction) {
  ASSIGN_OR_RETURN(const auto metric, find_metric(model));
  prediction.metric = metric.name;
  if (series.now.size() <= horizon) return {};
  const std::size_t count = series.now.size() - horizon;
  const std::span<const double> now = series.now;
  prediction.score =
      change_score(metric, now.first(count),
                   std::span(series.ahead).first(count), now.subspan(horizon));
  prediction.scored_rows = count;
  return {};
}

Result<TablePrediction> predict_series_table(const TableModel& model,
                                             const Table& table,
                                             const std::string& text,
                                             std::optional<double> level) {
  ASSIGN_OR_RETURN(const auto note, SeriesNote::parse(text));
  ASSIGN_OR_RETURN(
      const auto series,
      predict_series(model.evolved.network, model.encoding, note, table));
  std::vector<double> ahead;
  for (const double value : series.ahead) {
    if (!std::isfinite(value)) return non_finite_output(ahead.size());
    ahead.push_back(short_double(value));
  }
  TablePrediction prediction{.table = Table({Column{.name = note.ahead_name(),
                                                    .kind = ColumnKind::Number,
                                                    .numbers = std::move(ahead),
                                                    .codes = {},
                                                    .values = {}}}),
                             .metric = {},
                             .score = std::nullopt,
                             .remarks = series.remarks};
  RETURN_IF_ERROR(add_series_score(model, note.horizon, series, prediction));
  if (level) {
    RETURN_IF_ERROR(add_intervals(model, Tensor(), *level, prediction));
  }
  return prediction;
}

}  // namespace

Result<TableEncoding> read_encoding(const evolution::NetworkModel& model) {
  const auto note = model.notes.find("encoding");
  if (note == model.notes.end()) {
    return unsupported(
        "The model has no table encoding, because it was not evolved from a "
        "table; run it from C++ or export it as ONNX.");
  }
  ASSIGN_OR_RETURN(const Json json, parse_json(note->second));
  ASSIGN_OR_RETURN(TableEncoding encoding, TableEncoding::from_json(json));
  // One output suffices for two classes: the probability of the second.
  const bool fits =
      encoding.input_count() == model.network.input_width() &&
      (encoding.output_count() == model.network.output_width() ||
       (encoding.output_count() == 2 && model.network.output_width() == 1));
  if (fits) return encoding;
  return Error(
      ErrorCode::DataDamaged,
      fmt::format("The model's encoding has {} inputs and {} outputs, but its "
                  "network has {} and {}; save the model again.",
                  encoding.input_count(), encoding.output_count(),
                  model.network.input_width(), model.network.output_width()));
}

Result<TablePrediction> predict_table(const TableModel& model,
                                      const Table& table,
                                      std::optional<double> level) {
  if (table.row_count() == 0) return data::no_rows_error();
  const auto series = model.evolved.notes.find("series");
  return series == model.evolved.notes.end()
             ? predict_rows(model, table, level)
             : predict_series_table(model, table, series->second, level);
}

}  // namespace lamarck::table
