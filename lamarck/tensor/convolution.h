// Convolutions of images, and their gradients.
//
// An image is copied once with its zero border. Every tap of the kernel is then
// a shift of that copy, and a convolution is a matrix product whose right-hand
// rows are found by an offset (shifted_product.h). Unlike im2col, this does not
// copy the image once per tap.

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
  std::int64_t groups = 1;  // Must divide channels and outputs.
  WindowAxis y;
  WindowAxis x;
};

// The number of floats of scratch memory that each function below needs.
std::int64_t convolution_scratch(const Convolution& convolution);

// Computes y [batch, outputs, y, x]. `bias` is [outputs] or null.
void convolve(const Convolution& convolution, const float* x,
              const float* kernels, const float* bias, float* y,
              float* scratch);

// Computes dx from dy; adds to dx if `accumulate`.
void convolution_input_gradient(const Convolution& convolution, const float* dy,
                                const float* kernels, float* dx,
                                bool accumulate, float* scratch);

// The gradients of the kernels and of the bias are added to these sums. Either
// may be null.
struct ConvolutionSums {
  float* kernels = nullptr;
  float* bias = nullptr;
};
void convolution_weight_gradient(const Convolution& convolution, const float* x,
                                 const float* dy, const ConvolutionSums& sums,
                                 float* scratch);

}  // namespace lamarck
