// Convolutions with kernels three rows high, with two thirds of the
// multiplications.
//
// Winograd's F(2, 3) along the y axis (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2015): two rows of outputs need four products
// of sums of rows instead of six products of rows. Only the y axis is
// transformed, so that vectors still lie along x.

#pragma once

#include <cstdint>

namespace lamarck {

// outputs [outputs][height][width] of planes [channels][rows of `pitch`], with
// kernels [outputs][channels][3][columns].
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

// Images multiplied together, so that tiles of the product are full.
inline constexpr std::int64_t kWinogradImages = 3;

// Work memory; winograd_scratch says how many floats it needs.
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
// Transforms the kernels. shifts[column] is where a column reads, relative to
// the output's column.
void transform_kernels(const WinogradRows& rows, const WinogradWork& work,
                       const WinogradKernels& kernels,
                       const std::int32_t* shifts);

// Transforms an image as number `image` of those that are multiplied together.
// Reads 2 pairs() + 2 rows of each plane.
void transform_image(const WinogradRows& rows, const WinogradWork& work,
                     const float* image_planes, std::int64_t image);

// Writes the outputs of the first `images` transformed images, [outputs]
// [height][width] each. `bias` may be null.
void multiply_images(const WinogradRows& rows, const WinogradWork& work,
                     std::int64_t images, const float* bias, float* out,
                     std::int64_t out_image);

}  // namespace lamarck
