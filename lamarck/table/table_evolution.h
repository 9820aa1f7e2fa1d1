// From a table to a network that predicts one of its columns.
//
// Some rows are kept apart and only looked at when all is done; of the others
// some are for comparing candidates, and the rest to learn from.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/table.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/table/prediction_record.h"
#include "lamarck/table/series_prediction.h"

namespace lamarck::table {

enum class TableTask : std::uint8_t { Auto, Classify, Regress };
Result<TableTask> table_task_named(std::string_view name);

struct TableEvolutionOptions {
  std::string target;
  std::vector<std::string> ignore;  // Columns that are not inputs.
  TableTask task = TableTask::Auto;
  // Rows are steps in time; the target is predicted `horizon` rows ahead, from
  // all columns up to now.
  bool is_series = false;
  std::size_t horizon = 1;
  std::string metric;  // Empty: accuracy, f1 if classes are rare, r2, or rmse.
  std::optional<double> goal;  // Of the metric, on the rows for comparing.
  double test_split = 0.2;     // Ignored if there is a table for testing.
  // The grain decides what it begins with; the target is set from the goal.
  evolution::EvolutionOptions evolution = {.grain = evolution::Grain::Both};
};

// How well something simple does on the same rows.
struct Baseline {
  std::string name;  // "always the most frequent class", "persistence".
  double score = 0;
};

// What is decided before the first generation.
struct TablePlan {
  data::TableEncoding encoding;
  data::Metric metric;

  // A value of the metric in the units of the table, and back.
  double in_units(double value) const;
  double from_units(double value) const;
  // Likewise, of a score as the events tell it, where more is better.
  double shown(double score) const;
};

struct TableEvolutionOutcome {
  evolution::EvolutionResult result;
  data::TableEncoding encoding;
  data::Metric metric;
  // The metric in the units of the table, whatever is better. Of a series it
  // compares how the target changes, so r2 is 0 if nothing is foreseen.
  double score = 0;       // On the rows for comparing.
  double test_score = 0;  // On the rows kept apart.
  std::size_t train_rows = 0;
  std::size_t check_rows = 0;
  std::size_t test_rows = 0;
  std::vector<Baseline> baselines;  // On the rows kept apart.
  std::vector<std::string> remarks;
  std::vector<ScorePoint> curve;
  // One of these, of the rows kept apart.
  ConfusionCounts confusion;
  std::vector<PredictedNumber> numbers;
  PredictedSeries series;
  std::optional<SeriesNote> series_note;

  TablePlan plan() const { return {encoding, metric}; }
  // For a model file: "encoding", "metric", and "series" if it is one.
  std::map<std::string, std::string> notes() const;
};

// Looks at everything that could be wrong with the table, and no more. `test`
// may be null.
Result<TablePlan> plan_table(const data::Table& table, const data::Table* test,
                             const TableEvolutionOptions& options);

// Fails as plan_table does, before anything is written or learnt, if no network
// gave numbers, and if the checkpoint cannot be read or written.
Result<TableEvolutionOutcome> evolve_table(
    const data::Table& table, const data::Table* test,
    const TableEvolutionOptions& options,
    const Profiler<evolution::EvolutionEvent>& profiler = {});

}  // namespace lamarck::table
