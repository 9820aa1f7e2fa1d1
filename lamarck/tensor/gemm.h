// The product of two matrices.

#pragma once

#include <cstdint>

namespace lamarck {

// One product C = A B (or C += A B): A is m x k, B is k x n, C is m x n, all
// dense and row-major; a transposed one is stored the other way round.
struct Gemm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;
};

// Large products copy B into panels first (packed_gemm.h) and are cut into
// parts for the threads of WorkerScope; those whose B stays in the caches do
// not (gemm_kernels.h). Neither depends on the number of threads.
void gemm(const Gemm& shape, const float* a, const float* b, float* c);

}  // namespace lamarck
