// Predictions of an opened model for the rows of a table.

#pragma once

#include <optional>

#include "lamarck/cli/opened_model.h"
#include "lamarck/data/table.h"
#include "lamarck/table/table_prediction.h"

namespace lamarck::cli {

using table::TablePrediction;

// As table::predict_table. Also fails if the model is not an evolved network
// with a table encoding.
Result<TablePrediction> predict_table(const OpenedModel& model,
                                      const data::Table& table,
                                      std::optional<double> level = {});

}  // namespace lamarck::cli
