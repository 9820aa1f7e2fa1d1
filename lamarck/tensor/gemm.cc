#include "lamarck/tensor/gemm.h"

#include <cblas.h>

#include <algorithm>

#include "lamarck/tensor/blas_memory.h"
#include "lamarck/tensor/gemm_kernels.h"
#include "lamarck/tensor/worker_scope.h"

namespace lamarck {
namespace {

// How many parts a product is cut into: a part has so many multiplications, or
// packing B for each costs too much.
std::int64_t part_count(const Gemm& g) {
  constexpr std::int64_t kLeastWork = std::int64_t{1} << 23;
  constexpr std::int64_t kLeastRows = 64;
  constexpr std::int64_t kMostParts = 8;
  return std::clamp<std::int64_t>(
      std::min(g.m * g.n * g.k / kLeastWork, g.m / kLeastRows), 1, kMostParts);
}

// One thread for each call: evolution runs many graphs side by side.
bool prepare_library() {
  guard_blas_memory();
  openblas_set_num_threads(1);
  return true;
}

// The rows from `begin` to `end` of the product.
void library_rows(const Gemm& g, const float* a, const float* b, float* c,
                  std::int64_t begin, std::int64_t end) {
  static const bool kIsPrepared = prepare_library();
  static_cast<void>(kIsPrepared);
  cblas_sgemm(CblasRowMajor, g.transpose_a ? CblasTrans : CblasNoTrans,
              g.transpose_b ? CblasTrans : CblasNoTrans,
              static_cast<blasint>(end - begin), static_cast<blasint>(g.n),
              static_cast<blasint>(g.k), 1.0f,
              a + (g.transpose_a ? begin : begin * g.k),
              static_cast<blasint>(g.transpose_a ? g.m : g.k), b,
              static_cast<blasint>(g.transpose_b ? g.k : g.n),
              g.accumulate ? 1.0f : 0.0f, c + begin * g.n,
              static_cast<blasint>(g.n));
}

}  // namespace

void gemm(const Gemm& g, const float* a, const float* b, float* c) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) {
    if (!g.accumulate) std::fill_n(c, g.m * g.n, 0.0f);
    return;
  }
  if (is_direct(g)) return direct_gemm(g, a, b, c);
  const std::int64_t parts = part_count(g);
  for_each_part(static_cast<std::size_t>(parts), [&](std::size_t part) {
    const auto at = static_cast<std::int64_t>(part);
    library_rows(g, a, b, c, g.m * at / parts, g.m * (at + 1) / parts);
  });
}

}  // namespace lamarck
