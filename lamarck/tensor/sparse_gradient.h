// Kernel gradients of convolutions whose output gradient is mostly zero.
//
// Max pooling passes the gradient to one element of each window, and relu stops
// part of the rest, so that often four of five elements are zero. Visiting only
// the nonzero ones needs a fraction of the multiplications. The image is stored
// with its channels last, so that a row of a window is contiguous.

#pragma once

#include <cstdint>

namespace lamarck {

// Vectors read and write up to this many elements past the end.
inline constexpr std::int64_t kSparseSlack = 16;

// Writes the nonzero elements of `from` to `values`, and their entries of
// `places` plus `base` to `offsets`. Returns how many there are. NaN counts as
// nonzero. REQUIRES: both outputs have space for count + kSparseSlack elements.
std::int64_t gather_nonzeros(const float* from, const std::int32_t* places,
                             std::int64_t count, std::int32_t base,
                             float* values, std::int32_t* offsets);

// sums[row][i] += sum over n of values[n] * in[offsets[n] + row * row_pitch +
// i].
struct SparseSums {
  const float* values = nullptr;
  const std::int32_t* offsets = nullptr;
  std::int64_t count = 0;
  const float* in = nullptr;  // Followed by kSparseSlack floats.
  std::int64_t rows = 0;
  std::int64_t row_pitch = 0;
  std::int64_t row_length = 0;
  // Rows of padded_length(row_length); elements beyond row_length are
  // undefined.
  float* sums = nullptr;
};
void sparse_sums(const SparseSums& sums);

// Rounds up to whole vectors of any width.
inline std::int64_t padded_length(std::int64_t length) {
  return (length + kSparseSlack - 1) / kSparseSlack * kSparseSlack;
}

}  // namespace lamarck
