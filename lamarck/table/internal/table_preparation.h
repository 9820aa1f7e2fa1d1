// A table made ready to evolve on: read, split, encoded, its metric chosen.
// Whatever is wrong with it is found here.

#pragma once

#include <string>
#include <vector>

#include "lamarck/data/dataset.h"
#include "lamarck/table/internal/series_examples.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::table {

struct PreparedRows {
  TablePlan plan;
  data::Dataset known;
  data::Dataset test;
  std::vector<std::string> remarks;
};

struct PreparedSeries {
  TablePlan plan;
  SeriesExamples examples;
  std::vector<std::string> remarks;
};

Result<PreparedRows> prepare_rows(const data::Table& table,
                                  const data::Table* test,
                                  const TableEvolutionOptions& options);
Result<PreparedSeries> prepare_series(const data::Table& table,
                                      const data::Table* test,
                                      const TableEvolutionOptions& options);

// Whether rare classes should count more.
bool has_rare_classes(const data::TargetColumn& target);

}  // namespace lamarck::table
