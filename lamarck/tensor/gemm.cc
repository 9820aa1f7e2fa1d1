#include "lamarck/tensor/gemm.h"

#include <cblas.h>

#include <algorithm>

#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

// Measured: below this many multiplications our loops win.
constexpr std::int64_t kSmall = 4096;

// Rows of B are contiguous: C's row is a sum of them.
void small_by_rows(const Gemm& g, const float* a, const float* b, float* c) {
  const std::int64_t row_step = g.transpose_a ? 1 : g.k;
  const std::int64_t inner_step = g.transpose_a ? g.m : 1;
  for (std::int64_t i = 0; i < g.m; ++i) {
    float* row = c + i * g.n;
    if (!g.accumulate) std::fill_n(row, g.n, 0.0f);
    for (std::int64_t k = 0; k < g.k; ++k) {
      const float factor = a[i * row_step + k * inner_step];
      const float* from = b + k * g.n;
      if (g.n < 8) {
        for (std::int64_t j = 0; j < g.n; ++j) row[j] += factor * from[j];
      } else {
        add_scaled_to(factor, from, row, static_cast<std::size_t>(g.n));
      }
    }
  }
}

// Columns of B are contiguous, so each element of C is a dot product.
void small_by_dots(const Gemm& g, const float* a, const float* b, float* c) {
  for (std::int64_t i = 0; i < g.m; ++i) {
    for (std::int64_t j = 0; j < g.n; ++j) {
      const float* column = b + j * g.k;
      float sum = 0;
      if (g.transpose_a || g.k < 8) {
        const std::int64_t row_step = g.transpose_a ? 1 : g.k;
        const std::int64_t inner_step = g.transpose_a ? g.m : 1;
        for (std::int64_t k = 0; k < g.k; ++k) {
          sum += a[i * row_step + k * inner_step] * column[k];
        }
      } else {
        sum = dot(a + i * g.k, column, static_cast<std::size_t>(g.k));
      }
      float& to = c[i * g.n + j];
      to = g.accumulate ? to + sum : sum;
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
    return g.transpose_b ? small_by_dots(g, a, b, c)
                         : small_by_rows(g, a, b, c);
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
