#include "lamarck/tensor/gemm.h"

#include <cblas.h>

#include <algorithm>

namespace lamarck {
namespace {

// Up to so many multiplications a plain loop takes less time than OpenBLAS
// needs to begin (about 100 ns); see BM_Gemm.
constexpr std::int64_t kSmall = 128;

void small_product(const Gemm& g, const float* a, const float* b, float* c) {
  const std::int64_t a_row = g.transpose_a ? 1 : g.k;
  const std::int64_t a_inner = g.transpose_a ? g.m : 1;
  const std::int64_t b_inner = g.transpose_b ? 1 : g.n;
  const std::int64_t b_column = g.transpose_b ? g.k : 1;
  for (std::int64_t i = 0; i < g.m; ++i) {
    for (std::int64_t j = 0; j < g.n; ++j) {
      float sum = g.accumulate ? c[i * g.n + j] : 0;
      for (std::int64_t k = 0; k < g.k; ++k) {
        sum += a[i * a_row + k * a_inner] * b[k * b_inner + j * b_column];
      }
      c[i * g.n + j] = sum;
    }
  }
}

// One thread for each graph: evolution runs many side by side.
bool use_one_thread() {
  openblas_set_num_threads(1);
  return true;
}

}  // namespace

void gemm(const Gemm& g, const float* a, const float* b, float* c) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) {
    if (!g.accumulate) std::fill_n(c, g.m * g.n, 0.0f);
    return;
  }
  if (g.m * g.n * g.k <= kSmall) {
    return small_product(g, a, b, c);
  }
  static const bool kIsSet = use_one_thread();
  static_cast<void>(kIsSet);
  cblas_sgemm(CblasRowMajor, g.transpose_a ? CblasTrans : CblasNoTrans,
              g.transpose_b ? CblasTrans : CblasNoTrans,
              static_cast<blasint>(g.m), static_cast<blasint>(g.n),
              static_cast<blasint>(g.k), 1.0f, a,
              static_cast<blasint>(g.transpose_a ? g.m : g.k), b,
              static_cast<blasint>(g.transpose_b ? g.k : g.n),
              g.accumulate ? 1.0f : 0.0f, c, static_cast<blasint>(g.n));
}

}  // namespace lamarck
