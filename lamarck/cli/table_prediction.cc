#include "lamarck/cli/table_prediction.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/data/metrics.h"
#include "lamarck/evolution/training.h"
#include "lamarck/table/series_prediction.h"

namespace lamarck::cli {
namespace {

using data::Column;
using data::ColumnKind;
using data::Table;
using data::TableEncoding;

Error unsupported(std::string message) {
  return Error(ErrorCode::Unsupported, std::move(message));
}

Result<void> check_kind(const OpenedModel& model) {
  if (!model.evolved) {
    return unsupported(
        "The model holds a graph but no evolved network; run it from C++ or as "
        "ONNX.");
  }
  if (!model.encoding) {
    return unsupported(
        "The model does not say how a table becomes its inputs; it was not "
        "evolved from a table.");
  }
  return {};
}

// Probabilities [n, classes], also if the network gives that of the second.
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

// The double whose shortest decimal is that of the float: 0.1, not
// 0.10000000149.
double short_double(float value) { return std::stod(fmt::format("{}", value)); }
// Likewise of a sum with one.
double short_double(double value) {
  return std::stod(fmt::format("{:.9g}", value));
}

Table answers(const Tensor& outputs, const TableEncoding& encoding) {
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

Tensor rows_of(const Tensor& all, const std::vector<std::size_t>& rows) {
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

// In the units of the table.
Tensor unscaled(Tensor values, const data::TargetColumn& target) {
  for (std::int64_t i = 0; i < values.size(0); ++i) {
    values.at({i, 0}) = static_cast<float>(
        static_cast<double>(values.at({i, 0})) * target.deviation +
        target.mean);
  }
  return values;
}

// The one it evolved by, or what is usual.
Result<data::Metric> metric_of(const OpenedModel& model) {
  const auto note = model.evolved->notes.find("metric");
  if (note != model.evolved->notes.end()) {
    return data::metric_named(note->second);
  }
  return model.encoding->target().has_classes()
             ? data::Metric::Accuracy
             : data::Metric::RootMeanSquaredError;
}

// Adds the score, if there is something to compare with.
Result<void> compare(const OpenedModel& model, const Table& table,
                     const Tensor& outputs, TablePrediction& prediction) {
  const TableEncoding& encoding = *model.encoding;
  const data::TargetColumn& target = encoding.target();
  ASSIGN_OR_RETURN(const auto metric, metric_of(model));
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
  Tensor predicted = rows_of(outputs, *rows);
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

Error without_number(std::size_t row) {
  return Error(ErrorCode::InvalidArgument,
               fmt::format("The model gives no number for row {}: its values "
                           "are too far from those that it was evolved from.",
                           row + 1));
}

Result<TablePrediction> predict_rows(const OpenedModel& model,
                                     const Table& table) {
  ASSIGN_OR_RETURN(const data::EncodedRows rows, model.encoding->encode(table));
  const Tensor outputs =
      evolution::predict(model.evolved->network, rows.inputs.contiguous())
          .contiguous();
  const std::span<const float> all = outputs.data();
  const auto odd =
      std::ranges::find_if(all, [](float x) { return !std::isfinite(x); });
  if (odd != all.end()) {
    return without_number(static_cast<std::size_t>(odd - all.begin()) /
                          static_cast<std::size_t>(outputs.size(1)));
  }
  TablePrediction prediction{.table = answers(outputs, *model.encoding),
                             .metric = {},
                             .score = std::nullopt,
                             .remarks = rows.remarks};
  RETURN_IF_ERROR(compare(model, table, outputs, prediction));
  return prediction;
}

// Compares the rows whose future is in the table.
Result<void> compare_ahead(const OpenedModel& model, std::size_t horizon,
                           const table::SeriesPrediction& said,
                           TablePrediction& prediction) {
  ASSIGN_OR_RETURN(const auto metric, metric_of(model));
  prediction.metric = metric.name;
  if (said.now.size() <= horizon) return {};
  const std::size_t count = said.now.size() - horizon;
  const std::span<const double> now = said.now;
  prediction.score = table::change_score(metric, now.first(count),
                                         std::span(said.ahead).first(count),
                                         now.subspan(horizon));
  prediction.scored_rows = count;
  return {};
}

Result<TablePrediction> predict_steps(const OpenedModel& model,
                                      const Table& table,
                                      const std::string& text) {
  ASSIGN_OR_RETURN(const auto note, table::SeriesNote::parse(text));
  ASSIGN_OR_RETURN(
      const auto said,
      predict_series(model.evolved->network, *model.encoding, note, table));
  std::vector<double> ahead;
  for (const double value : said.ahead) {
    if (!std::isfinite(value)) return without_number(ahead.size());
    ahead.push_back(short_double(value));
  }
  TablePrediction prediction{.table = Table({Column{.name = note.ahead_name(),
                                                    .kind = ColumnKind::Number,
                                                    .numbers = std::move(ahead),
                                                    .codes = {},
                                                    .values = {}}}),
                             .metric = {},
                             .score = std::nullopt,
                             .remarks = said.remarks};
  RETURN_IF_ERROR(compare_ahead(model, note.horizon, said, prediction));
  return prediction;
}

}  // namespace

Result<TablePrediction> predict_table(const OpenedModel& model,
                                      const Table& table) {
  RETURN_IF_ERROR(check_kind(model));
  if (table.row_count() == 0) {
    return Error(ErrorCode::InvalidArgument, "The table has no rows.");
  }
  const auto series = model.evolved->notes.find("series");
  return series == model.evolved->notes.end()
             ? predict_rows(model, table)
             : predict_steps(model, table, series->second);
}

}  // namespace lamarck::cli
