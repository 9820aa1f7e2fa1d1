// The kernels' gradient of a convolution from the nonzero elements of its
// output's gradient.

#pragma once

#include <cstdint>

#include "lamarck/tensor/convolution.h"

namespace lamarck {

// Whether so few elements of dy differ from zero that visiting them costs less
// than visiting all. Looks at the first image only.
bool is_sparse_cheaper(const Convolution& convolution, const float* dy);

// Floats of work memory for the function below.
std::int64_t sparse_scratch(const Convolution& convolution);

// As convolution_weight_gradient.
// REQUIRES: is_sparse_cheaper(convolution, dy).
void sparse_weight_gradient(const Convolution& convolution, const float* x,
                            const float* dy, const ConvolutionSums& sums,
                            float* scratch);

}  // namespace lamarck
