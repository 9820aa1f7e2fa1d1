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

// Large products by OpenBLAS, in parts for the threads of WorkerScope; those
// whose B stays in the caches by loops of our own, which need not pack it
// first.
void gemm(const Gemm& shape, const float* a, const float* b, float* c);

}  // namespace lamarck
