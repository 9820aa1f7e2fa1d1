#include "lamarck/table/series_prediction.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/evolution/training.h"
#include "lamarck/table/internal/series_shape.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::ColumnKind;
using data::Table;

constexpr std::size_t kPastSeasons = 3;  // Input columns of whole seasons.

// Returns the target column with its gaps filled.
Result<std::vector<double>> find_target_values(const Table& table,
                                               const std::string& name) {
  ASSIGN_OR_RETURN(const std::size_t place, table.find(name));
  const Column& column = table.columns()[place];
  if (column.kind != ColumnKind::Number) {
    return Error(ErrorCode::InvalidArgument,
                 "Column '" + name +
                     "' contains text; the model predicts a series of "
                     "numbers.");
  }
  std::vector<double> values = without_gaps(column.numbers);
  if (values.empty() || std::isnan(values[0])) {
    return Error(ErrorCode::InvalidArgument,
                 "Column '" + name +
                     "' has no values; a series is predicted from at least "
                     "one.");
  }
  return values;
}

// Returns the table with its target filled and the inputs that are derived from
// it added, as in training.
Table with_target(const Table& table, const SeriesNote& note,
                  const std::vector<double>& values) {
  std::vector<Column> columns = table.columns();
  for (Column& column : columns) {
    if (column.name == note.target) column.numbers = values;
  }
  for (Column& each : series_inputs(note, values)) {
    columns.push_back(std::move(each));
  }
  return Table(std::move(columns));
}

// "rise of y", "rise of y 1 row ago", ...
std::string rise_name(const std::string& name, std::size_t ago) {
  if (ago == 0) return "rise of " + name;
  return fmt::format("rise of {} {} row{} ago", name, ago, ago == 1 ? "" : "s");
}

constexpr double kMissingNumber = std::numeric_limits<double>::quiet_NaN();

// A column with the value of each row. The first rows have no such past; the
// encoding fills the gap.
Column derived_column(std::string name, std::span<const double> target,
                      const auto& value_at) {
  Column column{.name = std::move(name),
                .kind = ColumnKind::Number,
                .numbers = {},
                .codes = {},
                .values = {}};
  for (std::size_t row = 0; row < target.size(); ++row) {
    column.numbers.push_back(value_at(row));
  }
  return column;
}

// Subtracts as doubles, so small changes of large levels stay exact.
Tensor differences(std::span<const double> from, std::span<const double> to) {
  std::vector<float> changes;
  for (std::size_t i = 0; i < from.size(); ++i) {
    changes.push_back(static_cast<float>(to[i] - from[i]));
  }
  return Tensor::from({static_cast<std::int64_t>(changes.size()), 1}, changes);
}

}  // namespace

std::string SeriesNote::ahead_name() const {
  return fmt::format("{} in {} row{}", target, horizon,
                     horizon == 1 ? "" : "s");
}

std::string SeriesNote::change_name() const {
  return fmt::format("{}, less {} now", ahead_name(), target);
}

std::string SeriesNote::to_text() const {
  return dump_json({{"target", target},
                    {"horizon", horizon},
                    {"lags", lags},
                    {"season", season}});
}

Result<SeriesNote> SeriesNote::parse(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, parse_json(text));
  try {
    const SeriesNote note{.target = json.at("target"),
                          .horizon = json.at("horizon"),
                          .lags = json.value("lags", SeriesNote{}.lags),
                          .season = json.value("season", std::size_t{0})};
    if (note.horizon > 0 && note.lags <= kMaxSeriesLags) return note;
  } catch (const Json::exception&) {
  }
  return Error(
      ErrorCode::DataDamaged,
      "The note 'series' of the model file must contain 'target' and a "
      "positive 'horizon'; save the model again.");
}

std::vector<Column> series_inputs(const SeriesNote& note,
                                  std::span<const double> target) {
  std::vector<Column> columns;
  const std::string& name = note.target;
  for (std::size_t back = 1; back <= note.lags; ++back) {
    columns.push_back(
        derived_column(rise_name(name, back - 1), target, [&](std::size_t row) {
          return row >= back ? target[row - back + 1] - target[row - back]
                             : kMissingNumber;
        }));
  }
  if (note.season == 0) return columns;
  for (std::size_t ago = 0; ago < kPastSeasons; ++ago) {
    const auto before = [&](std::size_t row) {
      return season_before(row, note.horizon, note.season) -
             static_cast<std::ptrdiff_t>(ago * note.season);
    };
    columns.push_back(derived_column(
        fmt::format("{} {} season{} before, less now", name, ago + 1,
                    ago == 0 ? "" : "s"),
        target, [&](std::size_t row) {
          const std::ptrdiff_t past = before(row);
          return past >= 0
                     ? target[static_cast<std::size_t>(past)] - target[row]
                     : kMissingNumber;
        }));
  }
  columns.push_back(derived_column(
      fmt::format("mean {} of the last season, less now", name), target,
      [&](std::size_t row) {
        if (row + 1 < note.season) return kMissingNumber;
        double sum = 0;
        for (std::size_t i = 0; i < note.season; ++i) sum += target[row - i];
        return sum / static_cast<double>(note.season) - target[row];
      }));
  return columns;
}

Result<SeriesPrediction> predict_series(const evolution::Network& network,
                                        const data::TableEncoding& encoding,
                                        const SeriesNote& note,
                                        const Table& table) {
  ASSIGN_OR_RETURN(std::vector<double> now,
                   find_target_values(table, note.target));
  ASSIGN_OR_RETURN(const data::EncodedRows rows,
                   encoding.encode(with_target(table, note, now)));
  const Tensor inputs = rows.inputs.contiguous();
  const Tensor outputs =
      predict(network, inputs.reshape({1, inputs.size(0), inputs.size(1)}));
  const std::vector<double> changes =
      encoding.decode_numbers(outputs.reshape({outputs.size(1), 1}));
  SeriesPrediction prediction{
      .now = std::move(now), .ahead = {}, .remarks = rows.remarks};
  for (std::size_t row = 0; row < changes.size(); ++row) {
    prediction.ahead.push_back(prediction.now[row] + changes[row]);
  }
  return prediction;
}

std::vector<double> without_gaps(const std::vector<double>& values) {
  std::vector<double> filled = values;
  double last = std::numeric_limits<double>::quiet_NaN();
  // Leading gaps take the first value that is present.
  for (const double value : values) {
    if (std::isnan(last)) last = value;
  }
  for (double& value : filled) {
    if (std::isnan(value)) value = last;
    last = value;
  }
  return filled;
}

double change_score(const data::Metric& metric, std::span<const double> now,
                    std::span<const double> guesses,
                    std::span<const double> actual) {
  return metric.function(differences(now, guesses), differences(now, actual));
}

}  // namespace lamarck::table
