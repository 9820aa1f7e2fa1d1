// Matrix products that read their operands in place, without packing.

#pragma once

#include "lamarck/tensor/gemm.h"

namespace lamarck {

// Whether direct_gemm_rows is faster than packed_gemm_rows for this shape and
// the current instruction set (measured with BM_Gemm).
bool is_direct(const Gemm& shape);

// Computes the rows of C from `begin` to `end`. Every element is summed in the
// same order for any range. REQUIRES: is_direct(shape), and no size is 0.
void direct_gemm_rows(const Gemm& shape, const float* a, const float* b,
                      float* c, std::int64_t begin, std::int64_t end);

}  // namespace lamarck
