// Matrix products whose right-hand rows are one image read at many offsets. All
// convolutions are built from them.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lamarck {

// Vectors read up to this many floats past the last element of an image. That
// memory must exist, and for shifted_sums it must hold finite numbers, which
// are multiplied by 0.
inline constexpr std::int64_t kShiftedSlack = 64;

// out[r][i][j] = bias[r] + sum over t of weights[r][t] * in[offsets[t] +
// i * pitch + j], for `height` x `width` positions (i, j), which are dense in
// `out`.
struct ShiftedProduct {
  std::int64_t rows = 0;
  std::int64_t taps = 0;
  const float* weights = nullptr;  // In the order of packed_weight.
  const std::int32_t* offsets = nullptr;
  const float* in = nullptr;
  std::int64_t pitch = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  const float* bias = nullptr;  // May be null.
  float* out = nullptr;
};
void shifted_product(const ShiftedProduct& product);

// The index of weights[row][tap] in packed order: tiles of four rows, tap by
// tap, so that the innermost loop reads the weights in order.
inline constexpr std::int64_t kShiftedTile = 4;
inline std::int64_t packed_weight(std::int64_t rows, std::int64_t taps,
                                  std::int64_t row, std::int64_t tap) {
  const std::int64_t tile = row / kShiftedTile * kShiftedTile;
  const std::int64_t height =
      rows - tile < kShiftedTile ? rows - tile : kShiftedTile;
  return tile * taps + tap * height + (row - tile);
}

// sums[r][t] += sum over images and i < length of
// left[image][r][i] * right[image][offsets[t] + i].
struct ShiftedSums {
  std::int64_t rows = 0;
  std::int64_t taps = 0;
  std::int64_t images = 0;
  std::int64_t length = 0;  // A multiple of kShiftedStep.
  const float* left = nullptr;
  std::int64_t left_image = 0;  // Floats from one image to the next.
  std::int64_t left_row = 0;    // Floats from one row to the next.
  const float* right = nullptr;
  std::int64_t right_image = 0;
  const std::int32_t* offsets = nullptr;
  float* sums = nullptr;
};
// The widest vector, in floats.
inline constexpr std::int64_t kShiftedStep = 16;
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
