// Convolutions of whole batches, split into parts that several threads can
// share.

#pragma once

#include "lamarck/tensor/convolution.h"

namespace lamarck {

// The same as the functions in convolution.h. The number of parts depends only
// on the size of the batch, so the number of threads does not change results.
std::int64_t batched_scratch(const Convolution& convolution);
void convolve_batch(const Convolution& convolution, const float* x,
                    const float* kernels, const float* bias, float* y,
                    float* scratch);
void batch_input_gradient(const Convolution& convolution, const float* dy,
                          const float* kernels, float* dx, bool accumulate,
                          float* scratch);
void batch_weight_gradient(const Convolution& convolution, const float* x,
                           const float* dy, const ConvolutionSums& sums,
                           float* scratch);

}  // namespace lamarck
