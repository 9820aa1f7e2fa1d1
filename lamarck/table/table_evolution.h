// Evolves a network that predicts one column of a table from the others.
//
// Held-out test rows are scored once, at the end. Of the others, training rows
// fit the weights of evolving networks and validation rows compare them. Then
// designs are compared by cross-validation, and the result is an ensemble of
// the networks trained on the folds, joined to one network.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/table.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/table/model_explanation.h"
#include "lamarck/table/prediction_intervals.h"
#include "lamarck/table/prediction_record.h"
#include "lamarck/table/series_prediction.h"

namespace lamarck::table {

// Rows with a target that a network needs; fewer suffice if none are held out.
inline constexpr std::size_t kMinTableRows = 10;
inline constexpr std::size_t kMinRowsWithoutTest = 2;

// Larger tables are reduced, and a remark says so.
inline constexpr std::size_t kMaxTableRows = 1'000'000;
inline constexpr std::size_t kMaxSeriesRows = 200'000;
inline constexpr std::size_t kMaxTableInputs = 4096;  // After encoding.
// With Grain::Neuron, where each input has edges of its own.
inline constexpr std::size_t kMaxNeuronInputs = 500;
inline constexpr std::size_t kMaxTableNumbers = 100'000'000;

enum class TableTask : std::uint8_t { Auto, Classify, Regress };

// Parses "auto", "classify" or "regress".
Result<TableTask> table_task_named(std::string_view name);

// A network with the encoding of its table, from an earlier evolution.
struct TableStart {
  evolution::Network network;
  data::TableEncoding encoding;
};

struct TableEvolutionOptions {
  std::string target;
  std::vector<std::string> ignore;  // Columns that are not inputs.
  // Column with the weight of each row in training, at least 0; empty: all
  // weigh the same. A weight of 0 has the same result as leaving the row out,
  // for any order of the rows. Not for a series.
  std::string weight;
  TableTask task = TableTask::Auto;
  // Whether rows are steps in time. If so, the target is predicted `horizon`
  // rows ahead from the current and all earlier rows.
  bool is_series = false;
  std::size_t horizon = 1;
  // Past changes of a series that are inputs; 0: chosen by the data. At most
  // kMaxSeriesLags.
  std::size_t lags = 0;
  // Empty: accuracy for classes, f1 if some of them are rare, r2 for numbers
  // and rmse for a series.
  std::string metric;
  // Evolution stops when the metric reaches this value on the validation rows.
  std::optional<double> goal;
  // Share of the rows to hold out; 0: none. Ignored if a test table is given.
  double test_split = 0.2;
  // Whether the result is the best evolved network instead of an ensemble. Also
  // so with Grain::Neuron, if the goal is reached, and for a series if the
  // evolved network is clearly better.
  bool is_single = false;
  // Evolve further from this network, with its encoding, instead of from a
  // minimal one. The result is then a single network. Not for a series.
  std::shared_ptr<const TableStart> start;
  // The grain selects the initial network. `target_metric` is overwritten by
  // the goal.
  evolution::EvolutionOptions evolution = {.grain = evolution::Grain::Both};
};

// The score of a trivial predictor on the held-out rows.
struct Baseline {
  std::string name;  // Such as "persistence" or "always the mean".
  double score = 0;
};

// How an ensemble was made.
struct EnsembleFacts {
  std::size_t folds = 0;     // 0: the result is a single network.
  std::int64_t designs = 0;  // Compared by cross-validation.
  std::size_t members = 0;   // Networks that were joined.
  double single_score = 0;   // Of the best evolved network, held-out rows.
};

struct PreparedTable;

// Everything that is decided before the first generation.
struct TablePlan {
  data::TableEncoding encoding;
  data::Metric metric;
  // The encoded rows, for `evolve_table`. Null in the plan of an outcome.
  std::shared_ptr<const PreparedTable> prepared = nullptr;

  bool has_rows() const { return prepared != nullptr; }

  // Converts a metric of the standardized target to the units of the table,
  // and back.
  double in_units(double value) const;
  double from_units(double value) const;
  // Converts the score of an event, for which higher is always better, to the
  // metric in the units of the table.
  double shown(double score) const;
};

struct TableEvolutionOutcome {
  evolution::EvolutionResult result;
  data::TableEncoding encoding;
  data::Metric metric;
  // The metric in the units of the table; the metric decides whether higher or
  // lower is better. For a series it compares changes of the target, so r2 is
  // about 0 for a network that predicts no change.
  double score = 0;  // On the validation rows; of an ensemble, out of fold.
  double test_score = 0;  // On the held-out rows; NaN without any.
  std::size_t train_rows = 0;
  std::size_t check_rows = 0;
  std::size_t test_rows = 0;
  EnsembleFacts ensemble;
  // Measured on the rows of `score`, in the units of the table.
  std::optional<PredictionIntervals> intervals;
  std::vector<Baseline> baselines;
  std::vector<std::string> remarks;  // Notes for the user, whole sentences.
  std::vector<ScorePoint> curve;
  // Predictions for the held-out rows. One of these is set, depending on the
  // kind of target.
  ConfusionCounts confusion;
  std::vector<PredictedNumber> numbers;
  PredictedSeries series;
  ModelExplanation explanation;  // By the held-out rows; empty for a series.
  std::optional<SeriesNote> series_note;

  TablePlan plan() const { return {encoding, metric, nullptr}; }
  // The notes of a model file: "encoding", "metric", "intervals", and "series"
  // for a series.
  std::map<std::string, std::string> notes() const;
};

// Validates the table and the options without training anything. `test` may be
// null.
Result<TablePlan> plan_table(const data::Table& table, const data::Table* test,
                             const TableEvolutionOptions& options);

// Runs the evolution and scores the result on the held-out rows.
//
// If the time budget or a cancellation ends it, the final training on all known
// rows gets at most a tenth of the budget or a second; it is dropped if that is
// not enough. The second form returns the errors of plan_table before it trains
// or writes anything. Also fails if no network has a finite score, and if the
// checkpoint cannot be read or written. REQUIRES: `plan` is from plan_table
// with the same options.
Result<TableEvolutionOutcome> evolve_table(
    const TablePlan& plan, const TableEvolutionOptions& options,
    const Profiler<evolution::EvolutionEvent>& profiler = {});
Result<TableEvolutionOutcome> evolve_table(
    const data::Table& table, const data::Table* test,
    const TableEvolutionOptions& options,
    const Profiler<evolution::EvolutionEvent>& profiler = {});

}  // namespace lamarck::table
