#include "lamarck/tensor/gemm_kernels.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/gemm_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway includes this file several times; define the constants only once.
#ifndef LAMARCK_GEMM_KERNELS_LIMITS
#define LAMARCK_GEMM_KERNELS_LIMITS
namespace lamarck {
// In floats. A B of up to 128 KiB stays in the L2 cache, so packing it gains
// nothing. A transposed B is first copied to the stack element by element,
// which pays off only if it is small.
constexpr std::int64_t kLargestB = 32768;
constexpr std::int64_t kLargestTransposedB = 1280;

// With so few rows of A, each element of B is used so rarely that packing B
// costs more than it saves.
constexpr std::int64_t kFewRows = 24;
constexpr std::int64_t kLargestBOfFewRows = std::int64_t{1} << 20;
}  // namespace lamarck
#endif

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A has two strides, so that a transposed A needs no code of its own.
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

// Loads and stores whole vectors of columns.
template <class D>
struct WholeColumns {
  using V = hn::Vec<D>;
  static V zero() { return hn::Zero(D()); }
  static V all(float x) { return hn::Set(D(), x); }
  V load(const float* from, int) const { return hn::LoadU(D(), from); }
  void store(V x, float* to, int) const { hn::StoreU(x, D(), to); }
};

// The rows of a tile of C, which is two vectors wide. The tile must fit into
// the registers together with one row of B and one element of A: 6 x 2 + 3 of
// 16 registers. AVX-512 has 32.
#if HWY_TARGET <= HWY_AVX3
constexpr int kTileRows = 8;
#else
constexpr int kTileRows = 6;
#endif

// Whether a masked load may extend past the end of an array without faulting.
// Highway guarantees that only for newer targets, but it also holds for floats
// with AVX2.
#if HWY_TARGET == HWY_AVX2 || !HWY_MEM_OPS_MIGHT_FAULT
constexpr bool kHasMasks = true;
#else
constexpr bool kHasMasks = false;
#endif

// Loads and stores vectors of which the last has only `count` columns.
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

// Computes a tile of Rows x Vectors vectors of C from row i and column j. The
// loops with constant bounds must be unrolled: only then does the compiler keep
// `sums` in registers.
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

// Computes all rows of `Vectors` vectors of columns. The last rows use smaller
// tiles.
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
  // A masked vector for the remaining columns beats single columns, unless
  // there are at most three.
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

// Whether a large B is read in place too. AVX-512 tiles are so wide that
// loading B from memory keeps up with the multiplications, unless B is so large
// or its rows are so long that they evict each other from the cache.
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
  float transposed[kLargestTransposedB];
  for (std::int64_t j = 0; j < g.n; ++j) {
    for (std::int64_t k = 0; k < g.k; ++k)
      transposed[k * g.n + j] = b[j * g.k + k];
  }
  p.b = transposed;
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
