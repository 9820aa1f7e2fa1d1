// Words and numbers of a table as numbers to learn from.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/dataset.h"
#include "lamarck/data/table.h"

namespace lamarck::data {

enum class MissingCells : std::uint8_t {
  Drop,  // Leave out rows in which something is missing.
  Mean,  // A number becomes its column's mean, a category all zeros.
};

enum class TargetKind : std::uint8_t {
  Auto,     // Numbers are to be predicted, categories to be told apart.
  Number,   // Targets are [n, 1].
  Classes,  // Targets are one-hot, [n, classes]; also for numbers.
};

struct ToDatasetOptions {
  std::string target;               // The column to be predicted.
  std::vector<std::string> ignore;  // Columns that are not inputs.
  MissingCells missing = MissingCells::Drop;
  TargetKind target_kind = TargetKind::Auto;
};

// Inputs are all other columns: numbers as they are, a category as one column
// of 0 and 1 for each of its values, in sorted order, named "colour=red". Rows
// without a target are always left out. Fails, naming the column, for text
// among the inputs, for names that are not there, for numbers that a float
// cannot hold, and if no row is left.
Result<Dataset> to_dataset(const Table& table, const ToDatasetOptions& options);

}  // namespace lamarck::data
