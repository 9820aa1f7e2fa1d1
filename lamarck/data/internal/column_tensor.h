// Converts columns of a table to columns of a tensor.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/table.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

using Columns = std::vector<const Column*>;  // Pointers into a table.
using Rows = std::vector<std::size_t>;       // Row indices.

// InvalidArgument with the message "Column 'name' <what>" and the field
// "column".
Error column_error(const Column& column, const std::string& what);

// The error for a number that is not finite as a 32-bit float.
Error float_error(const Column& column, double number);

// Writes the given rows of a numeric column to every `step`-th float from
// `out`. Missing cells become the column's mean. Fails for a number that does
// not fit into a float.
Result<void> write_numbers(const Column& column, const Rows& rows,
                           std::size_t step, float* out);

// A numeric column becomes one column of the tensor; a category becomes one
// column per value. REQUIRES: no column is text.
Result<Tensor> input_tensor(const Columns& columns, const Rows& rows);
// The names of the columns of `input_tensor`, such as "length" and
// "colour=red".
std::vector<std::string> input_names(const Columns& columns);

}  // namespace lamarck::data
