// Maxima and means of windows, and their gradients.

#pragma once

#include <cstdint>

#include "lamarck/tensor/window_axis.h"

namespace lamarck {

// `planes` images of one channel each: batch and channels are alike.
// REQUIRES: paddings are at most half of the kernels; no dilation.
struct Pooling {
  std::int64_t planes = 1;
  WindowAxis y;
  WindowAxis x;
};

// y is the largest of each window, and `where` its number in the window, row by
// row; of equals, the first. NaN is larger than any number.
void max_pool(const Pooling& pooling, const float* x, float* y, float* where);
// dx is added to if `accumulate`.
void max_pool_gradient(const Pooling& pooling, const float* where,
                       const float* dy, float* dx, bool accumulate);

// The mean of each window, in which the border counts as zeros.
void average_pool(const Pooling& pooling, const float* x, float* y);
void average_pool_gradient(const Pooling& pooling, const float* dy, float* dx,
                           bool accumulate);

}  // namespace lamarck
