// What a model says about the rows of a table.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/cli/opened_model.h"
#include "lamarck/data/table.h"

namespace lamarck::cli {

struct TablePrediction {
  // "prediction", and for classes "probability_<class>" of each; of a series
  // "y in 3 rows": for each row, the last too, what comes so much later.
  data::Table table;
  std::string metric;  // The one it evolved by.
  // If the table has targets to compare with; of a series, how well changes
  // are foreseen.
  std::optional<double> score;
  std::size_t scored_rows = 0;
  std::vector<std::string> remarks;
};

// Fails if the model is no evolved network that reads tables, or the table
// lacks columns that it needs.
Result<TablePrediction> predict_table(const OpenedModel& model,
                                      const data::Table& table);

}  // namespace lamarck::cli
