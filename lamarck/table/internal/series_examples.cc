#include "lamarck/table/internal/series_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/evolution/row_range.h"
#include "lamarck/table/internal/autoregression.h"
#include "lamarck/table/internal/series_shape.h"

namespace lamarck::table {
namespace {

using data::Column;
using data::ColumnKind;
using data::Table;
using data::TableEncoding;

constexpr std::size_t kWindow = 64;  // Steps of a training sequence.
constexpr std::size_t kWarmUp = 16;  // Unweighted steps before each window.
constexpr std::size_t kMinSteps = 40;
constexpr std::size_t kMinBaselineLags = 16;  // Of the autoregression.

// Returns the rows of both tables. Text values that only `second` has become
// missing, because the encoding is fitted to `first`.
Result<Table> joined(const Table& first, const Table& second) {
  std::vector<Column> columns;
  for (const Column& column : first.columns()) {
    ASSIGN_OR_RETURN(const std::size_t place, second.find(column.name));
    const Column& more = second.columns()[place];
    if (more.kind != column.kind) {
      return invalid_argument(fmt::format(
          "Column '{}' must have the same type in both files; it contains "
          "numbers in one and text in the other.",
          column.name));
    }
    Column both = column;
    both.numbers.insert(both.numbers.end(), more.numbers.begin(),
                        more.numbers.end());
    for (const std::int32_t code : more.codes) {
      if (code == Column::kMissing) {
        both.codes.push_back(code);
        continue;
      }
      const std::string& word = more.values[static_cast<std::size_t>(code)];
      const auto known = std::ranges::find(both.values, word);
      both.codes.push_back(
          known == both.values.end()
              ? Column::kMissing
              : static_cast<std::int32_t>(known - both.values.begin()));
    }
    columns.push_back(std::move(both));
  }
  return Table(std::move(columns));
}

// Returns the table with its target filled, its past added as inputs and the
// change over the next `horizon` rows added as the column to predict.
Table with_change(const Table& table, std::size_t place,
                  const std::vector<double>& target, const SeriesNote& note) {
  const std::size_t horizon = note.horizon;
  std::vector<Column> columns = table.columns();
  columns[place].numbers = target;
  for (Column& each : series_inputs(note, target)) {
    columns.push_back(std::move(each));
  }
  Column change{.name = note.change_name(),
                .kind = ColumnKind::Number,
                .numbers = {},
                .codes = {},
                .values = {}};
  for (std::size_t row = 0; row < target.size(); ++row) {
    change.numbers.push_back(row + horizon < target.size()
                                 ? target[row + horizon] - target[row]
                                 : std::numeric_limits<double>::quiet_NaN());
  }
  columns.push_back(std::move(change));
  return Table(std::move(columns));
}

// Cuts the rows [begin, end) into windows. Up to kWarmUp rows before a window
// bring the state of a recurrent network up to date; their weight is 0, so they
// do not count in the loss.
evolution::Examples make_windows(const Tensor& inputs, const Tensor& changes,
                                 std::size_t begin, std::size_t end) {
  const auto width = inputs.size(1);
  std::vector<std::size_t> starts;
  for (std::size_t at = begin; at < end; at += kWindow) starts.push_back(at);
  const auto rows = static_cast<std::int64_t>(starts.size());
  const auto steps = static_cast<std::int64_t>(kWindow + kWarmUp);
  Tensor given = Tensor::zeros({rows, steps, width});
  Tensor wanted = Tensor::zeros({rows, steps, 1});
  Tensor weights = Tensor::zeros({rows, steps});
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::size_t start = starts[static_cast<std::size_t>(row)];
    const std::size_t first = start - std::min(start, kWarmUp);
    const std::size_t last = std::min(end, start + kWindow);
    for (std::size_t at = first; at < last; ++at) {
      const auto step = static_cast<std::int64_t>(at - first);
      const auto from = static_cast<std::int64_t>(at);
      for (std::int64_t i = 0; i < width; ++i) {
        given.at({row, step, i}) = inputs.at({from, i});
      }
      if (at < start) continue;
      wanted.at({row, step, 0}) = changes.at({from, 0});
      weights.at({row, step}) = 1;
    }
  }
  return {given, wanted, weights};
}

SeriesNote choose_inputs(std::span<const double> known,
                         const TableEvolutionOptions& options,
                         std::vector<std::string>& remarks) {
  SeriesNote note{.target = options.target, .horizon = options.horizon};
  note.season = find_season(known);
  note.lags = options.lags > 0
                  ? options.lags
                  : choose_lags(known, options.horizon, note.season);
  remarks.push_back(
      note.season > 0
          ? fmt::format("The series repeats every {} rows; the inputs are the "
                        "last {} changes and the last seasons.",
                        note.season, note.lags)
          : fmt::format("No season was found; the inputs are the last {} "
                        "changes.",
                        note.lags));
  return note;
}

}  // namespace

Result<SeriesParts> split_series(const Table& table, const Table* test,
                                 const TableEvolutionOptions& options) {
  ASSIGN_OR_RETURN(const std::size_t place, table.find(options.target));
  if (table.columns()[place].kind != ColumnKind::Number) {
    return invalid_argument(
        fmt::format("Column '{}' contains text, but a series requires a "
                    "numeric target; choose another target.",
                    options.target));
  }
  if (options.horizon < 1 || options.horizon >= table.row_count()) {
    return invalid_argument(fmt::format(
        "The horizon must be at least 1 and less than the number of "
        "rows ({}), got {}.",
        table.row_count(), options.horizon));
  }
  Result<Table> whole = table;
  if (test != nullptr) whole = joined(table, *test);
  if (!whole) return whole.error();
  const std::size_t rows = whole->row_count();
  // Without a share, no rows are held out.
  const auto kept = static_cast<std::size_t>(
      std::lround(options.test_split * static_cast<double>(rows)));
  const std::size_t known_rows =
      test != nullptr ? table.row_count() : rows - kept;
  SeriesParts parts{.all = *whole, .known = *whole};
  parts.target = without_gaps(whole->columns()[place].numbers);
  if (std::isnan(parts.target[0])) {
    return invalid_argument(fmt::format(
        "Column '{}' has no values; choose another target.", options.target));
  }
  const auto gaps =
      std::ranges::count_if(whole->columns()[place].numbers,
                            [](double value) { return std::isnan(value); });
  if (gaps > 0) {
    parts.remarks.push_back(
        fmt::format("Filled {} missing value{} of '{}' with the value before.",
                    gaps, gaps == 1 ? "" : "s", options.target));
  }
  const bool has_test = known_rows < rows;
  if (known_rows < kMinSteps + options.horizon ||
      (has_test && known_rows + options.horizon + 1 > rows)) {
    return invalid_argument(
        fmt::format("The series is too short: a horizon of {} requires at "
                    "least {} training rows "
                    "and {} held-out rows, got {} and {}; use a smaller "
                    "horizon or add rows.",
                    options.horizon, kMinSteps + options.horizon,
                    options.horizon + 1, known_rows, rows - known_rows));
  }
  parts.note = choose_inputs(std::span(parts.target).first(known_rows), options,
                             parts.remarks);
  parts.all = with_change(*whole, place, parts.target, parts.note);
  parts.known_rows = known_rows;
  // The last `horizon` known rows have changes that end in held-out rows.
  parts.known =
      parts.all.rows(evolution::row_range(0, known_rows - options.horizon));
  parts.check_begin = static_cast<std::size_t>(
      (1 - kCheckShare) * static_cast<double>(known_rows - options.horizon));
  return parts;
}

Result<TableEncoding> fit_series(const Table& known, const SeriesNote& note,
                                 const TableEvolutionOptions& options) {
  return TableEncoding::fit(known, {.target = note.change_name(),
                                    .ignore = options.ignore,
                                    .target_kind = data::TargetKind::Number,
                                    .drop_text = true});
}

Result<SeriesExamples> make_series_examples(
    const SeriesParts& parts, const TableEncoding& encoding,
    const TableEvolutionOptions& options) {
  ASSIGN_OR_RETURN(const data::EncodedRows all, encoding.encode(parts.all));
  ASSIGN_OR_RETURN(const data::Dataset known, encoding.dataset(parts.known));
  const std::size_t end = parts.known_rows - options.horizon;
  const Tensor inputs = all.inputs.contiguous();
  SeriesExamples examples{
      .train = make_windows(inputs, known.targets(), 0, parts.check_begin),
      .check = make_windows(inputs, known.targets(), parts.check_begin, end),
      .known = make_windows(inputs, known.targets(), 0, end),
      .rows = {inputs.slice(0, 0, static_cast<std::int64_t>(end)).contiguous(),
               known.targets().contiguous()},
      .whole = inputs.reshape({1, inputs.size(0), inputs.size(1)}),
      .known_rows = parts.known_rows,
      .target = parts.target,
      .note = parts.note,
      .train_steps = parts.check_begin,
      .check_steps = end - parts.check_begin};
  return examples;
}

SeriesForecast forecast_series(const Tensor& outputs,
                               const SeriesExamples& examples,
                               const TableEncoding& encoding) {
  const std::size_t horizon = examples.note.horizon;
  const std::size_t season = examples.note.season;
  const std::size_t rows = examples.target.size();
  const std::vector<double> changes = encoding.decode_numbers(outputs);
  const Autoregression model(
      std::span(examples.target).first(examples.known_rows), horizon,
      std::max(kMinBaselineLags, examples.note.lags));
  SeriesForecast forecast;
  // Starts at the first row whose value `horizon` rows later was not trained
  // on.
  for (std::size_t row = examples.known_rows - 1; row + horizon < rows; ++row) {
    if (row + horizon < examples.known_rows) continue;
    forecast.actual.push_back(examples.target[row + horizon]);
    forecast.persistence.push_back(examples.target[row]);
    forecast.predicted.push_back(examples.target[row] + changes[row]);
    forecast.autoregression.push_back(
        model.predict(std::span(examples.target).first(row + 1)));
    if (season == 0) continue;
    const std::ptrdiff_t past = season_before(row, horizon, season);
    forecast.seasonal.push_back(
        examples.target[past >= 0 ? static_cast<std::size_t>(past) : row]);
  }
  return forecast;
}

}  // namespace lamarck::table
