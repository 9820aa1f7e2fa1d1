// Max and average pooling, and their gradients.

#pragma once

#include <cstdint>

#include "lamarck/tensor/window_axis.h"

namespace lamarck {

// `planes` images of one channel each: pooling treats batch and channels alike.
// REQUIRES: the padding is at most half of the kernel, and there is no
// dilation.
struct Pooling {
  std::int64_t planes = 1;
  WindowAxis y;
  WindowAxis x;
};

// y is the maximum of each window, and `where` its index in the window, row by
// row. The first of several equal elements counts. NaN is larger than any
// number.
void max_pool(const Pooling& pooling, const float* x, float* y, float* where);
// Adds to dx if `accumulate`, else overwrites it.
void max_pool_gradient(const Pooling& pooling, const float* where,
                       const float* dy, float* dx, bool accumulate);

// The mean of each window, in which the padding counts as zeros.
void average_pool(const Pooling& pooling, const float* x, float* y);
void average_pool_gradient(const Pooling& pooling, const float* dy, float* dx,
                           bool accumulate);

}  // namespace lamarck
