// Products of matrices that do not fit into the nearest caches.

#pragma once

#include <cstdint>

#include "lamarck/tensor/gemm.h"

namespace lamarck {

// The rows of C from `begin` to `end`. Every element is summed up in the same
// order whatever the range, so cutting a product into parts changes no bit.
// REQUIRES: nothing is empty.
void packed_gemm_rows(const Gemm& shape, const float* a, const float* b,
                      float* c, std::int64_t begin, std::int64_t end);

}  // namespace lamarck
