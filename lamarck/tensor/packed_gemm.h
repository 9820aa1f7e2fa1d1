// Products of matrices that do not fit into the cache.

#pragma once

#include <cstdint>

#include "lamarck/tensor/gemm.h"

namespace lamarck {

// Computes the rows of C from `begin` to `end`. Every element is summed in the
// same order for any range, so splitting a product into parts gives identical
// bits. REQUIRES: no size is 0.
void packed_gemm_rows(const Gemm& shape, const float* a, const float* b,
                      float* c, std::int64_t begin, std::int64_t end);

}  // namespace lamarck
