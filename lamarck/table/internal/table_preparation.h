// Prepares a table for evolution: splits and encodes its rows and chooses the
// metric. Every error in the table or the options is found here.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/data/dataset.h"
#include "lamarck/table/internal/series_examples.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::table {

// Large tables are reduced, see table_reduction.h; a remark says so.
struct PreparedRows {
  TablePlan plan;
  data::Dataset known;          // Training and validation rows.
  std::vector<double> weights;  // Of the known rows, or empty. Their mean is 1.
  std::optional<data::Dataset> test;  // Held-out rows.
  std::vector<std::string> remarks;
};

struct PreparedSeries {
  TablePlan plan;
  SeriesExamples examples;
  std::vector<std::string> remarks;
};

// One of both, depending on the options.
struct PreparedTable {
  std::optional<PreparedRows> rows;
  std::optional<PreparedSeries> series;
};

// `test` may be null; then `options.test_split` of the rows are held out.
Result<PreparedRows> prepare_rows(const data::Table& table,
                                  const data::Table* test,
                                  const TableEvolutionOptions& options);
Result<PreparedSeries> prepare_series(const data::Table& table,
                                      const data::Table* test,
                                      const TableEvolutionOptions& options);

// Returns whether some class is so rare that accuracy would be misleading.
bool has_rare_classes(const data::TargetColumn& target);

}  // namespace lamarck::table
