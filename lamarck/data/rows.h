// Views a tensor as rows: the first axis counts the rows, the other axes are
// the contents of a row.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

// The number of rows, and the numbers in each. Both throw LogicError, naming
// `operation`, for a scalar, which has no rows.
std::size_t row_count(const Tensor& tensor, std::string_view operation);
std::size_t row_size(const Tensor& tensor, std::string_view operation);

// Copies the given rows of `from`, in that order, to the first rows of `to`.
// REQUIRES: both are contiguous with rows of the same size, `to` has at least
// as many rows as there are indices, and all indices are below the row count of
// `from`.
void gather_rows(const Tensor& from, std::span<const std::size_t> indices,
                 Tensor& to);

}  // namespace lamarck::data
