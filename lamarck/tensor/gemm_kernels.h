// Products of matrices that are read where they are.

#pragma once

#include "lamarck/tensor/gemm.h"

namespace lamarck {

// Whether direct_gemm_rows is the faster way; see BM_Gemm. Depends on the shape
// and the instruction set.
bool is_direct(const Gemm& shape);

// The rows of C from `begin` to `end`. Every element is summed up in the same
// order whatever the range. REQUIRES: is_direct(shape), and nothing is empty.
void direct_gemm_rows(const Gemm& shape, const float* a, const float* b,
                      float* c, std::int64_t begin, std::int64_t end);

}  // namespace lamarck
