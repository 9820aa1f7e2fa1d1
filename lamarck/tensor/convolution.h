// Convolutions of images, and their gradients.
//
// An image is copied once with its zero border; then every tap of the kernel is
// a shift of that copy, and a convolution is a matrix product whose right
// side's rows are found by an offset. Nothing is unrolled into columns.

#pragma once

#include <cstdint>

#include "lamarck/tensor/window_axis.h"

namespace lamarck {

// Images [batch, channels, y, x], kernels [outputs, channels / groups, y, x]:
// each group of outputs sees its own group of channels.
struct Convolution {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t outputs = 1;
  std::int64_t groups = 1;  // Divides channels and outputs.
  WindowAxis y;
  WindowAxis x;
};

// Floats of work memory that each function below needs.
std::int64_t convolution_scratch(const Convolution& convolution);

// y [batch, outputs, y, x]; bias, of [outputs], may be null.
void convolve(const Convolution& convolution, const float* x,
              const float* kernels, const float* bias, float* y,
              float* scratch);

// dx, from dy; added to it if `accumulate`.
void convolution_input_gradient(const Convolution& convolution, const float* dy,
                                const float* kernels, float* dx,
                                bool accumulate, float* scratch);

// Added to `kernels` and `bias`, of which either may be null.
struct ConvolutionSums {
  float* kernels = nullptr;
  float* bias = nullptr;
};
void convolution_weight_gradient(const Convolution& convolution, const float* x,
                                 const float* dy, const ConvolutionSums& sums,
                                 float* scratch);

}  // namespace lamarck
