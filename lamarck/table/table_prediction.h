// Predictions of a model for the rows of a table.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/data/table.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/evolution/network_file.h"

namespace lamarck::table {

// An evolved network with the encoding of its table.
struct TableModel {
  evolution::NetworkModel evolved;
  data::TableEncoding encoding;
};

// Reads the note "encoding", which `lamarck evolve net` stores in a model.
// Fails with Unsupported if there is none, and with DataDamaged if it does not
// fit the network.
Result<data::TableEncoding> read_encoding(const evolution::NetworkModel& model);

struct TablePrediction {
  // The column "prediction" and, for classes, "probability_<class>" of each
  // class. For a series, a column such as "y in 3 rows" with the predicted
  // target 3 rows after each row, including the last one.
  data::Table table;
  std::string metric;  // The metric that the model evolved with.
  // Set if the table has targets to compare with. For a series, it measures how
  // well changes are predicted.
  std::optional<double> score;
  std::size_t scored_rows = 0;
  std::vector<std::string> remarks;
};

// With `level`, adds "prediction_low" and "prediction_high" for numbers, which
// contain the truth in that share of the cases, and for classes
// "prediction_set": the classes, separated by |, of which one is the truth in
// that share of the cases. Fails if the table is missing a column that the
// model needs.
Result<TablePrediction> predict_table(const TableModel& model,
                                      const data::Table& table,
                                      std::optional<double> level = {});

}  // namespace lamarck::table
