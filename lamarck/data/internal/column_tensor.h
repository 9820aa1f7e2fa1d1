// Columns of a table as columns of a tensor.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/table.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

using Columns = std::vector<const Column*>;  // Points into a table.
using Rows = std::vector<std::size_t>;       // Numbers of rows.

// "Column 'name' <what>".
Error column_error(const Column& column, const std::string& what);

// These rows of a column of numbers, to every `step`-th float from `out` on;
// the column's mean where one is missing. Fails for what a float cannot hold.
Result<void> write_numbers(const Column& column, const Rows& rows,
                           std::size_t step, float* out);

// Numbers as one column, a category as one for each of its values. REQUIRES: no
// column is text.
Result<Tensor> input_tensor(const Columns& columns, const Rows& rows);
// What the columns of `input_tensor` are called: "length", "colour=red".
std::vector<std::string> input_names(const Columns& columns);

}  // namespace lamarck::data
