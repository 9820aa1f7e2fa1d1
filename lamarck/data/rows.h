// A tensor seen as rows: the first axis counts them, the others are what each
// holds.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

// Both throw LogicError, naming `operation`, for a scalar, which has no rows.
std::size_t row_count(const Tensor& tensor, std::string_view operation);
std::size_t row_size(const Tensor& tensor, std::string_view operation);

// Copies the rows of `from`, in that order, into the first rows of `to`.
// REQUIRES: both are contiguous with rows of the same size, `to` has as many
// rows as there are indices, and all of them are below the rows of `from`.
void gather_rows(const Tensor& from, std::span<const std::size_t> indices,
                 Tensor& to);

}  // namespace lamarck::data
