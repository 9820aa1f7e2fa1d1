#include "lamarck/tensor/gemm.h"

#include <cblas.h>

#include <algorithm>

#include "lamarck/tensor/gemm_kernels.h"

namespace lamarck {
namespace {

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
  if (is_direct(g)) return direct_gemm(g, a, b, c);
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
