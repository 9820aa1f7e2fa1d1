// Matrix products whose right side is one image seen at many offsets: what
// convolutions consist of.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lamarck {

// Vectors read up to so many floats past the last element of an image: there
// must be memory, and for the sums it must hold numbers.
inline constexpr std::int64_t kShiftedSlack = 64;

// out[r][i][j] = bias[r] + sum over t of weights[r][t] in[offsets[t] +
// i pitch + j], for `height` x `width` places (i, j), which are dense in `out`.
struct ShiftedProduct {
  std::int64_t rows = 0;
  std::int64_t taps = 0;
  const float* weights = nullptr;  // As packed_weight places them.
  const std::int32_t* offsets = nullptr;
  const float* in = nullptr;
  std::int64_t pitch = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  const float* bias = nullptr;  // Or null.
  float* out = nullptr;
};
void shifted_product(const ShiftedProduct& product);

// Where weights[row][tap] is kept: tiles of four rows, tap by tap.
inline constexpr std::int64_t kShiftedTile = 4;
inline std::int64_t packed_weight(std::int64_t rows, std::int64_t taps,
                                  std::int64_t row, std::int64_t tap) {
  const std::int64_t tile = row / kShiftedTile * kShiftedTile;
  const std::int64_t height =
      rows - tile < kShiftedTile ? rows - tile : kShiftedTile;
  return tile * taps + tap * height + (row - tile);
}

// sums[r][t] += sum over images and i < length of
// left[image][r][i] right[image][offsets[t] + i].
struct ShiftedSums {
  std::int64_t rows = 0;
  std::int64_t taps = 0;
  std::int64_t images = 0;
  std::int64_t length = 0;  // A multiple of kShiftedStep.
  const float* left = nullptr;
  std::int64_t left_image = 0;  // Elements from one image to the next.
  std::int64_t left_row = 0;    // Likewise from one row to the next.
  const float* right = nullptr;
  std::int64_t right_image = 0;
  const std::int32_t* offsets = nullptr;
  float* sums = nullptr;
};
inline constexpr std::int64_t kShiftedStep = 16;  // As long as any vector.
void shifted_sums(const ShiftedSums& sums);

// Copies `height` rows of `width` floats.
struct RowCopy {
  const float* from = nullptr;
  std::int64_t from_pitch = 0;
  float* to = nullptr;
  std::int64_t to_pitch = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};
void copy_rows(const RowCopy& copy);

}  // namespace lamarck
