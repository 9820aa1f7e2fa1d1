// Turns a table whose rows are steps in time into training sequences.
//
// The network is trained on the change of the target over the next `horizon`
// rows, so an output of 0 predicts that nothing changes.

#pragma once

#include <string>
#include <vector>

#include "lamarck/data/table.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::table {

// Share of the known rows that validate candidates instead of training them.
inline constexpr double kCheckShare = 0.2;

// A series and its split in time: known rows first, held-out rows after them.
struct SeriesParts {
  data::Table all;    // Every row, with the change as an additional column.
  data::Table known;  // The rows whose change may be trained on.
  std::size_t known_rows = 0;
  std::size_t check_begin = 0;  // First validation row among the known rows.
  std::vector<double> target;   // All rows, gaps filled.
  SeriesNote note;              // Its lags and season suit the known rows.
  std::vector<std::string> remarks;
};

// The encoded series, ready for training.
struct SeriesExamples {
  evolution::Examples train{Tensor(), Tensor()};
  evolution::Examples check{Tensor(), Tensor()};
  evolution::Examples known{Tensor(), Tensor()};  // Both.
  // The known steps, one in each row; the inputs of a row include its past.
  evolution::Examples rows{Tensor(), Tensor()};
  Tensor whole;  // [1, rows, inputs]: the whole series.
  std::size_t known_rows = 0;
  std::vector<double> target;  // As in SeriesParts.
  SeriesNote note;             // The same.
  std::size_t train_steps = 0;
  std::size_t check_steps = 0;
};

// Predictions for the held-out rows, one entry for each row whose value lies
// after the known rows.
struct SeriesForecast {
  std::vector<double> actual;
  std::vector<double> predicted;
  std::vector<double> persistence;
  std::vector<double> autoregression;
  std::vector<double> seasonal;  // The value a season before; may be empty.
};

// Splits the table in time. `test`, unless null, continues the table and is
// held out instead of the last `test_split` of the rows.
Result<SeriesParts> split_series(const data::Table& table,
                                 const data::Table* test,
                                 const TableEvolutionOptions& options);

// Fits the encoding to the known rows; the change is its target.
Result<data::TableEncoding> fit_series(const data::Table& known,
                                       const SeriesNote& note,
                                       const TableEvolutionOptions& options);

Result<SeriesExamples> make_series_examples(
    const SeriesParts& parts, const data::TableEncoding& encoding,
    const TableEvolutionOptions& options);

// Converts the network's outputs, of shape [rows, 1], to predictions and adds
// the baselines.
SeriesForecast forecast_series(const Tensor& outputs,
                               const SeriesExamples& examples,
                               const data::TableEncoding& encoding);

}  // namespace lamarck::table
