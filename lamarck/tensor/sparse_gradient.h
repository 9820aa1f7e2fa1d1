// Kernel gradients of convolutions whose output gradient is mostly zero.
//
// Max pooling passes a gradient to one element of each window, and relu stops
// half of the rest, so that four of five elements are zeros. Going through the
// other one needs a fraction of the multiplications. The image is laid out with
// its channels last: a row of a window is then contiguous.

#pragma once

#include <cstdint>

namespace lamarck {

// Vectors read and write up to this many elements past the end.
inline constexpr std::int64_t kSparseSlack = 16;

// Appends the elements of `from` that are not zero to `values`, and their
// entries of `places`, plus `base`, to `offsets`. Returns how many there are.
// REQUIRES: both outputs have space for count + kSparseSlack elements.
std::int64_t gather_nonzeros(const float* from, const std::int32_t* places,
                             std::int64_t count, std::int32_t base,
                             float* values, std::int32_t* offsets);

// sums[row][i] += sum over n of values[n] in[offsets[n] + row * row_pitch + i].
struct SparseSums {
  const float* values = nullptr;
  const std::int32_t* offsets = nullptr;
  std::int64_t count = 0;
  const float* in = nullptr;  // Followed by kSparseSlack floats.
  std::int64_t rows = 0;
  std::int64_t row_pitch = 0;
  std::int64_t row_length = 0;
  // Rows of padded_length(row_length); what lies beyond row_length is garbage.
  float* sums = nullptr;
};
void sparse_sums(const SparseSums& sums);

inline std::int64_t padded_length(std::int64_t length) {
  return (length + kSparseSlack - 1) / kSparseSlack * kSparseSlack;
}

}  // namespace lamarck
