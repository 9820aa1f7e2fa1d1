// A table whose rows are steps in time, as sequences to learn from.
//
// What is learnt is the change of the target from now to `horizon` rows ahead,
// so a network that says nothing predicts that nothing changes.

#pragma once

#include <string>
#include <vector>

#include "lamarck/data/table.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::table {

// Share of the known rows that candidates are not trained on.
inline constexpr double kCheckShare = 0.2;

struct SeriesParts {
  data::Table all;    // Every row, with the change as a further column.
  data::Table known;  // The rows to learn from.
  std::size_t known_rows = 0;
  std::size_t check_begin = 0;  // Within the known ones.
  std::vector<double> target;   // Of all rows, gaps filled with the last value.
  std::vector<std::string> remarks;
};

struct SeriesExamples {
  evolution::Examples train{Tensor(), Tensor()};
  evolution::Examples check{Tensor(), Tensor()};
  Tensor whole;  // [1, rows, inputs]: the series from its beginning.
  std::size_t known_rows = 0;
  std::vector<double> target;
  std::size_t train_steps = 0;
  std::size_t check_steps = 0;
};

// Of the rows kept apart; entry i is for the row known_rows + horizon + i.
struct SeriesForecast {
  std::vector<double> actual;
  std::vector<double> predicted;
  std::vector<double> persistence;
  std::vector<double> autoregression;
};

Result<SeriesParts> split_series(const data::Table& table,
                                 const data::Table* test,
                                 const TableEvolutionOptions& options);
Result<data::TableEncoding> fit_series(const data::Table& known,
                                       const TableEvolutionOptions& options);
Result<SeriesExamples> series_examples(const SeriesParts& parts,
                                       const data::TableEncoding& encoding,
                                       const TableEvolutionOptions& options);
// `outputs` is [rows, 1].
SeriesForecast forecast_series(const Tensor& outputs,
                               const SeriesExamples& examples,
                               const data::TableEncoding& encoding,
                               std::size_t horizon);

}  // namespace lamarck::table
