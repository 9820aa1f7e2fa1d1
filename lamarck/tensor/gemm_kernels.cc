#include "lamarck/tensor/gemm_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/gemm_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Once, before the first of the targets.
#ifndef LAMARCK_GEMM_KERNELS_LIMITS
#define LAMARCK_GEMM_KERNELS_LIMITS
namespace lamarck {
// B fits into the second-level cache. A transposed one is copied onto the
// stack, element by element.
constexpr std::int64_t kLargestB = 32768;
constexpr std::int64_t kLargestTransposedB = 1280;

// With fewer rows, copying B into panels costs more than it saves.
constexpr std::int64_t kFewRows = 24;
constexpr std::int64_t kLargestBOfFewRows = std::int64_t{1} << 20;
}  // namespace lamarck
#endif

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A by its steps, so that a transposed one is only another pair of numbers.
struct Product {
  const float* a;
  std::int64_t a_row;
  std::int64_t a_inner;
  const float* b;
  float* c;
  std::int64_t n;
  std::int64_t k;
  bool accumulate;
};

// How vectors of columns are read and written: whole ones.
template <class D>
struct WholeColumns {
  using V = hn::Vec<D>;
  static V zero() { return hn::Zero(D()); }
  static V all(float x) { return hn::Set(D(), x); }
  V load(const float* from, int) const { return hn::LoadU(D(), from); }
  void store(V x, float* to, int) const { hn::StoreU(x, D(), to); }
};

// Rows of a tile of C. With what a step needs besides, it fills the registers:
// 32 with AVX-512, otherwise 16.
#if HWY_TARGET <= HWY_AVX3
constexpr int kTileRows = 8;
#else
constexpr int kTileRows = 6;
#endif

// Highway promises it only for later ones, but floats of AVX2 may be masked,
// too.
#if HWY_TARGET == HWY_AVX2 || !HWY_MEM_OPS_MIGHT_FAULT
constexpr bool kHasMasks = true;
#else
constexpr bool kHasMasks = false;
#endif

// The last of Vectors has only the first few columns.
template <class D, int Vectors>
struct CutColumns : WholeColumns<D> {
  using V = hn::Vec<D>;
  explicit CutColumns(std::int64_t count)
      : mask(hn::FirstN(D(), static_cast<std::size_t>(count))) {}
  V load(const float* from, int v) const {
    return v + 1 < Vectors ? hn::LoadU(D(), from)
                           : hn::MaskedLoad(mask, D(), from);
  }
  void store(V x, float* to, int v) const {
    if (v + 1 < Vectors) return hn::StoreU(x, D(), to);
    hn::BlendedStore(x, mask, D(), to);
  }
  hn::Mask<D> mask;
};

// Rows x Vectors vectors of C, held in registers, from row i and column j.
// The loops over constants are unrolled, or the registers would be memory.
template <int Rows, int Vectors, class Columns>
HWY_INLINE void tile(const Columns& columns, const Product& p, std::int64_t i,
                     std::int64_t j) {
  using V = typename Columns::V;
  constexpr auto kLanes = static_cast<std::int64_t>(sizeof(V) / sizeof(float));
  V sums[Rows][Vectors];
  float* c = p.c + i * p.n + j;
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      sums[r][v] = p.accumulate ? columns.load(c + r * p.n + v * kLanes, v)
                                : Columns::zero();
    }
  }
  const float* a = p.a + i * p.a_row;
  const float* b = p.b + j;
  for (std::int64_t k = 0; k < p.k; ++k, a += p.a_inner, b += p.n) {
    V row[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) row[v] = columns.load(b + v * kLanes, v);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const V factor = Columns::all(a[r * p.a_row]);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) {
        sums[r][v] = hn::MulAdd(factor, row[v], sums[r][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      columns.store(sums[r][v], c + r * p.n + v * kLanes, v);
    }
  }
}

// All rows of Vectors vectors of columns.
template <int Vectors, class Columns>
void all_rows(const Columns& columns, const Product& p, std::int64_t m,
              std::int64_t j) {
  std::int64_t i = 0;
  for (; i + kTileRows <= m; i += kTileRows) {
    tile<kTileRows, Vectors>(columns, p, i, j);
  }
  if (i + 4 <= m) {
    tile<4, Vectors>(columns, p, i, j);
    i += 4;
  }
  if (i + 2 <= m) {
    tile<2, Vectors>(columns, p, i, j);
    i += 2;
  }
  if (i < m) tile<1, Vectors>(columns, p, i, j);
}

void multiply(const Product& p, std::int64_t m) {
  using D = hn::ScalableTag<float>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  std::int64_t j = 0;
  for (; j + 2 * lanes <= p.n; j += 2 * lanes) {
    all_rows<2>(WholeColumns<D>(), p, m, j);
  }
  const std::int64_t rest = p.n - j;
  if (kHasMasks && rest > lanes) {
    return all_rows<2>(CutColumns<D, 2>(rest - lanes), p, m, j);
  }
  if (kHasMasks && rest > 3) {
    return all_rows<1>(CutColumns<D, 1>(rest), p, m, j);
  }
  for (; j + lanes <= p.n; j += lanes) {
    all_rows<1>(WholeColumns<D>(), p, m, j);
  }
  for (; j < p.n; ++j) {
    all_rows<1>(WholeColumns<hn::CappedTag<float, 1>>(), p, m, j);
  }
}

}  // namespace

// Tiles of AVX-512 are so wide that reading B in place keeps up with the
// multiplications, unless its rows compete for the same lines of the caches.
bool reads_large_here(const Gemm& g) {
#if HWY_TARGET <= HWY_AVX3
  return g.k <= 1024 && g.n < 1024;
#else
  static_cast<void>(g);
  return false;
#endif
}

void direct_gemm_here(const Gemm& g, const float* a, const float* b, float* c,
                      std::int64_t begin, std::int64_t end) {
  Product p{a,
            g.transpose_a ? 1 : g.k,
            g.transpose_a ? g.m : 1,
            b,
            c + begin * g.n,
            g.n,
            g.k,
            g.accumulate};
  p.a += begin * p.a_row;
  if (!g.transpose_b) return multiply(p, end - begin);
  float turned[kLargestTransposedB];
  for (std::int64_t j = 0; j < g.n; ++j) {
    for (std::int64_t k = 0; k < g.k; ++k) turned[k * g.n + j] = b[j * g.k + k];
  }
  p.b = turned;
  multiply(p, end - begin);
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(reads_large_here);
HWY_EXPORT(direct_gemm_here);

bool is_direct(const Gemm& g) {
  const std::int64_t size = g.n * g.k;
  if (g.transpose_b) return size <= kLargestTransposedB;
  return size <= kLargestB || (g.m <= kFewRows && size <= kLargestBOfFewRows) ||
         HWY_DYNAMIC_DISPATCH(reads_large_here)(g);
}

void direct_gemm_rows(const Gemm& g, const float* a, const float* b, float* c,
                      std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(direct_gemm_here)(g, a, b, c, begin, end);
}

}  // namespace lamarck
#endif
