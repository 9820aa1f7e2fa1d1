// The gradient of a convolution's kernels, computed only from the nonzero
// elements of the output gradient.

#pragma once

#include <cstdint>

#include "lamarck/tensor/convolution.h"

namespace lamarck {

// Whether so few elements of dy are nonzero that visiting only them is cheaper
// than visiting all. Samples only the first image.
bool is_sparse_cheaper(const Convolution& convolution, const float* dy);

// The number of floats of scratch memory that the function below needs.
std::int64_t sparse_scratch(const Convolution& convolution);

// Same result as convolution_weight_gradient.
// REQUIRES: is_sparse_cheaper(convolution, dy).
void sparse_weight_gradient(const Convolution& convolution, const float* x,
                            const float* dy, const ConvolutionSums& sums,
                            float* scratch);

}  // namespace lamarck
