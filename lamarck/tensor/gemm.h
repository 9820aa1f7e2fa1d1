// Matrix products.

#pragma once

#include <cstdint>

namespace lamarck {

// One product C = A B, or C += A B if `accumulate`. A is m x k, B is k x n and
// C is m x n, all dense and row-major. A transposed matrix is stored as its
// transpose: with transpose_a, A is stored as k x m.
struct Gemm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;
};

// Large products copy B into panels first (packed_gemm.h); products whose B
// stays in the cache read it in place (gemm_kernels.h). Both are split into
// parts for the threads of WorkerScope if they are large enough. Results do not
// depend on the number of threads.
void gemm(const Gemm& shape, const float* a, const float* b, float* c);

}  // namespace lamarck
