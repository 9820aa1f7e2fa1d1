// Products of matrices that fit into the nearest caches, without packing them.

#pragma once

#include "lamarck/tensor/gemm.h"

namespace lamarck {

// Whether direct_gemm is the faster way; see BM_Gemm.
bool is_direct(const Gemm& shape);

// REQUIRES: is_direct(shape), and nothing is empty.
void direct_gemm(const Gemm& shape, const float* a, const float* b, float* c);

}  // namespace lamarck
