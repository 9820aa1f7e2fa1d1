// Converts a table to a data set of plain, unscaled numbers. TableEncoding also
// scales them and can encode new tables later.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/dataset.h"
#include "lamarck/data/table.h"

namespace lamarck::data {

enum class MissingCells : std::uint8_t {
  Drop,  // Skip rows with a missing cell.
  Mean,  // A number becomes its column's mean, a category all zeros.
};

enum class TargetKind : std::uint8_t {
  Auto,     // Number for numeric columns, Classes for categories.
  Number,   // Targets are [n, 1].
  Classes,  // Targets are one-hot, [n, classes]; also for numbers.
};

struct ToDatasetOptions {
  std::string target;               // The column to predict.
  std::vector<std::string> ignore;  // Columns that are not inputs.
  MissingCells missing = MissingCells::Drop;
  TargetKind target_kind = TargetKind::Auto;
};

// All other columns are inputs: numbers as they are, a category as one column
// of 0 and 1 for each of its values in sorted order, named "colour=red". Rows
// without a target are always skipped. Fails, naming the column, for text among
// the inputs, for unknown names, for numbers that do not fit into a float, and
// if no row is left.
Result<Dataset> to_dataset(const Table& table, const ToDatasetOptions& options);

}  // namespace lamarck::data
