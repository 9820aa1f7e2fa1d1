// Convolutions with three-row kernels in two thirds of the multiplications.
//
// Winograd's F(2, 3) along the y axis (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2015). Two output rows need four products of
// transformed rows instead of six products of plain rows. Only the y axis is
// transformed, so vectors along x stay contiguous.
//
// For input rows d0..d3 and kernel rows g0..g2, the four products are
//   m0 = (d0 - d2) g0
//   m1 = (d1 + d2) (g0 + g1 + g2) / 2
//   m2 = (d2 - d1) (g0 - g1 + g2) / 2
//   m3 = (d1 - d3) g2
// and the two output rows are m0 + m1 + m2 and m1 - m2 - m3.

#pragma once

#include <cstdint>

namespace lamarck {

// The sizes: outputs [outputs][height][width] from planes [channels][rows of
// `pitch`], with kernels [outputs][channels][3][columns].
struct WinogradRows {
  std::int64_t outputs = 0;
  std::int64_t channels = 0;
  std::int64_t columns = 0;
  std::int64_t pitch = 0;  // Floats from one row of a plane to the next.
  std::int64_t plane = 0;  // Floats from one plane to the next.
  std::int64_t height = 0;
  std::int64_t width = 0;

  std::int64_t pairs() const { return (height + 1) / 2; }
  std::int64_t taps() const { return channels * columns; }
};

// The number of images multiplied together, so that the tiles of the product
// are full.
inline constexpr std::int64_t kWinogradImages = 3;

// Scratch memory of winograd_scratch floats, split into parts.
struct WinogradWork {
  WinogradWork(const WinogradRows& rows, float* scratch);

  float* weights;         // [4][outputs][taps], packed for shifted_product.
  std::int32_t* offsets;  // [taps]
  float* sums;            // [4][channels][images][pairs][pitch]
  float* products;        // [4][tile of outputs][images][pairs][width]
};
std::int64_t winograd_scratch(const WinogradRows& rows);

// Element [output][channel][row][column] of the kernels is at `first` + output
// * output_step + channel * channel_step + row * row_step + column.
struct WinogradKernels {
  const float* first = nullptr;
  std::int64_t output_step = 0;
  std::int64_t channel_step = 0;
  std::int64_t row_step = 0;
};
// Transforms the kernels. shifts[column] is where a column of the kernel reads,
// relative to the column of the output.
void transform_kernels(const WinogradRows& rows, const WinogradWork& work,
                       const WinogradKernels& kernels,
                       const std::int32_t* shifts);

// Transforms the image with index `image` of those that are multiplied
// together. Reads 2 * pairs() + 2 rows of each plane.
void transform_image(const WinogradRows& rows, const WinogradWork& work,
                     const float* image_planes, std::int64_t image);

// Writes the outputs of the first `images` transformed images, [outputs]
// [height][width] each. `bias` may be null.
void multiply_images(const WinogradRows& rows, const WinogradWork& work,
                     std::int64_t images, const float* bias, float* out,
                     std::int64_t out_image);

}  // namespace lamarck
