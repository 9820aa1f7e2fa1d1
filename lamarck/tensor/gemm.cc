#include "lamarck/tensor/gemm.h"

#include <algorithm>

#include "lamarck/tensor/gemm_kernels.h"
#include "lamarck/tensor/packed_gemm.h"
#include "lamarck/tensor/worker_scope.h"

namespace lamarck {
namespace {

// The number of parts that a product is split into. It depends only on the
// shape, so results do not depend on the number of threads. Smaller parts would
// not pay off, because every part packs B again.
std::int64_t gemm_part_count(const Gemm& g) {
  constexpr std::int64_t kMinWork = std::int64_t{1} << 23;
  constexpr std::int64_t kMinRows = 64;
  constexpr std::int64_t kMaxParts = 8;
  return std::clamp<std::int64_t>(
      std::min(g.m * g.n * g.k / kMinWork, g.m / kMinRows), 1, kMaxParts);
}

}  // namespace

void gemm(const Gemm& g, const float* a, const float* b, float* c) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) {
    if (!g.accumulate) std::fill_n(c, g.m * g.n, 0.0f);
    return;
  }
  const auto rows = is_direct(g) ? direct_gemm_rows : packed_gemm_rows;
  const std::int64_t parts = gemm_part_count(g);
  if (parts == 1) return rows(g, a, b, c, 0, g.m);
  for_each_part(static_cast<std::size_t>(parts), [&](std::size_t part) {
    const auto at = static_cast<std::int64_t>(part);
    rows(g, a, b, c, g.m * at / parts, g.m * (at + 1) / parts);
  });
}

}  // namespace lamarck
