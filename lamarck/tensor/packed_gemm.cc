// The scheme of Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication" (2008): a block of B is copied so that the innermost loop
// reads it in order, and a tile of C stays in registers. A is read in place,
// unless its rows would evict each other from the cache.

#include "lamarck/tensor/packed_gemm.h"

#include <algorithm>

#include <hwy/aligned_allocator.h>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/packed_gemm.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef LAMARCK_TENSOR_PACKED_GEMM_ONCE
#define LAMARCK_TENSOR_PACKED_GEMM_ONCE
namespace lamarck {

// Block sizes. A block of A (192 KiB) fits into the L2 cache, and one panel of
// B about fills the L1 cache. kBlockInner determines the order of additions,
// and so the last bits of a result; the sizes therefore do not adapt to the
// machine.
constexpr std::int64_t kBlockInner = 512;
constexpr std::int64_t kBlockColumns = 512;
constexpr std::int64_t kBlockRows = 96;

// Memory for packed blocks; each thread has its own.
struct PackedBlocks {
  hwy::AlignedFreeUniquePtr<float[]> a =
      hwy::AllocateAligned<float>(kBlockRows * kBlockInner);
  hwy::AlignedFreeUniquePtr<float[]> b =
      hwy::AllocateAligned<float>(kBlockColumns * kBlockInner);
};

// A matrix with two strides, so that a transposed one needs no code of its own.
struct StridedMatrix {
  const float* data;
  std::int64_t row;     // From one row to the next.
  std::int64_t column;  // From one column to the next.

  StridedMatrix at(std::int64_t i, std::int64_t j) const {
    return {data + i * row + j * column, row, column};
  }
};

}  // namespace lamarck
#endif

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D kTag{};
constexpr std::int64_t kLanes = hn::MaxLanes(kTag);

// A tile of C is kTileRows x 2 vectors. It must fit into the registers together
// with one row of B and one element of A: 6 x 2 + 3 of 16 registers. AVX-512
// has 32.
#if HWY_TARGET <= HWY_AVX3
constexpr int kTileRows = 8;
#else
constexpr int kTileRows = 6;
#endif
constexpr std::int64_t kPanel = 2 * kLanes;  // Columns of a panel of B.

// Copies 4 x 4 floats, swapping rows and columns.
inline void transpose_4x4(const float* from, std::int64_t from_row, float* to,
                          std::int64_t to_row) {
#if HWY_TARGET == HWY_SCALAR
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) to[j * to_row + i] = from[i * from_row + j];
  }
#else
  const hn::FixedTag<float, 4> tag;
  const auto a = hn::LoadU(tag, from);
  const auto b = hn::LoadU(tag, from + from_row);
  const auto c = hn::LoadU(tag, from + 2 * from_row);
  const auto d = hn::LoadU(tag, from + 3 * from_row);
  const auto low_ab = hn::InterleaveLower(tag, a, b);
  const auto low_cd = hn::InterleaveLower(tag, c, d);
  const auto high_ab = hn::InterleaveUpper(tag, a, b);
  const auto high_cd = hn::InterleaveUpper(tag, c, d);
  hn::StoreU(hn::ConcatLowerLower(tag, low_cd, low_ab), tag, to);
  hn::StoreU(hn::ConcatUpperUpper(tag, low_cd, low_ab), tag, to + to_row);
  hn::StoreU(hn::ConcatLowerLower(tag, high_cd, high_ab), tag, to + 2 * to_row);
  hn::StoreU(hn::ConcatUpperUpper(tag, high_cd, high_ab), tag, to + 3 * to_row);
#endif
}

// to[j][i] = from[i][j] for rows x columns elements.
void transpose(const float* from, std::int64_t from_row, std::int64_t rows,
               std::int64_t columns, float* to, std::int64_t to_row) {
  std::int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    std::int64_t j = 0;
    for (; j + 4 <= columns; j += 4) {
      transpose_4x4(from + i * from_row + j, from_row, to + j * to_row + i,
                    to_row);
    }
    for (; j < columns; ++j) {
      for (std::int64_t r = i; r < i + 4; ++r) {
        to[j * to_row + r] = from[r * from_row + j];
      }
    }
  }
  for (; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      to[j * to_row + i] = from[i * from_row + j];
    }
  }
}

// Copies `inner` rows of up to kPanel columns of B, one row after another.
// Missing columns become 0, so that the innermost loop needs no special case at
// the edge.
void pack_panel(const StridedMatrix& b, std::int64_t inner,
                std::int64_t columns, float* to) {
  if (b.column != 1) {
    if (columns < kPanel) std::fill_n(to, inner * kPanel, 0.0f);
    return transpose(b.data, b.column, columns, inner, to, kPanel);
  }
  const float* from = b.data;
  for (std::int64_t k = 0; k < inner; ++k, from += b.row, to += kPanel) {
    if (columns == kPanel) {
      hn::Store(hn::LoadU(kTag, from), kTag, to);
      hn::Store(hn::LoadU(kTag, from + kLanes), kTag, to + kLanes);
    } else {
      std::copy_n(from, columns, to);
      std::fill(to + columns, to + kPanel, 0.0f);
    }
  }
}

// The destination of a tile.
struct TileOutput {
  float* c;
  std::int64_t row;      // From one row of C to the next.
  std::int64_t columns;  // Fewer than the tile has, at the right edge of C.
  bool add;

  TileOutput from_row(std::int64_t i) const {
    return {c + i * row, row, columns, add};
  }
};

template <int Rows, int Vectors>
HWY_INLINE void store_tile(const V (&sums)[Rows][Vectors],
                           const TileOutput& out) {
  if (out.columns == Vectors * kLanes) {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) {
        float* to = out.c + r * out.row + v * kLanes;
        hn::StoreU(
            out.add ? hn::Add(hn::LoadU(kTag, to), sums[r][v]) : sums[r][v],
            kTag, to);
      }
    }
    return;
  }
  // At the right edge, store only the columns that exist.
  HWY_ALIGN float edge[Vectors * kLanes];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
      hn::Store(sums[r][v], kTag, edge + v * kLanes);
    }
    float* to = out.c + r * out.row;
    for (std::int64_t j = 0; j < out.columns; ++j) {
      to[j] = out.add ? to[j] + edge[j] : edge[j];
    }
  }
}

// Multiplies Rows rows of A by a panel of B. The loops with constant bounds
// must be unrolled: only then does the compiler keep `sums` in registers.
template <int Rows, int Vectors>
void tile(const StridedMatrix& a, std::int64_t inner, const float* b,
          const TileOutput& out) {
  V sums[Rows][Vectors];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) sums[r][v] = hn::Zero(kTag);
  }
  const float* left = a.data;
  for (std::int64_t k = 0; k < inner; ++k, left += a.column, b += kPanel) {
    V right[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) right[v] = hn::Load(kTag, b + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const V factor = hn::Set(kTag, left[r * a.row]);
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) {
        sums[r][v] = hn::MulAdd(factor, right[v], sums[r][v]);
      }
    }
  }
  store_tile(sums, out);
}

// Computes `rows` rows of C for one panel of B.
template <int Vectors>
void panel_rows(const StridedMatrix& a, std::int64_t rows, std::int64_t inner,
                const float* b, const TileOutput& out) {
  std::int64_t i = 0;
  for (; i + kTileRows <= rows; i += kTileRows) {
    tile<kTileRows, Vectors>(a.at(i, 0), inner, b, out.from_row(i));
  }
  for (; i + 4 <= rows; i += 4) {
    tile<4, Vectors>(a.at(i, 0), inner, b, out.from_row(i));
  }
  for (; i + 2 <= rows; i += 2) {
    tile<2, Vectors>(a.at(i, 0), inner, b, out.from_row(i));
  }
  if (i < rows) tile<1, Vectors>(a.at(i, 0), inner, b, out.from_row(i));
}

// Whether reading A in place would thrash the L1 cache. Addresses that are 4
// KiB apart usually share a cache set, so with a stride of a multiple of 2 KiB
// all rows of a tile compete for one or two sets.
bool is_crowded(const StridedMatrix& a) {
  constexpr std::int64_t kHalfPage = 512;  // In floats.
  return std::max(a.row, a.column) % kHalfPage == 0;
}

// Copies `rows` rows of A so that the elements of a column are adjacent.
StridedMatrix pack_rows(const StridedMatrix& a, std::int64_t rows,
                        std::int64_t inner, float* to) {
  if (a.column == 1) {
    transpose(a.data, a.row, rows, inner, to, rows);
  } else {
    for (std::int64_t k = 0; k < inner; ++k) {
      std::copy_n(a.data + k * a.column, rows, to + k * rows);
    }
  }
  return {to, 1, rows};
}

}  // namespace

void packed_gemm_rows_here(const Gemm& g, const float* a_data,
                           const float* b_data, float* c, std::int64_t begin,
                           std::int64_t end) {
  static thread_local PackedBlocks blocks;
  const StridedMatrix a = g.transpose_a ? StridedMatrix{a_data, 1, g.m}
                                        : StridedMatrix{a_data, g.k, 1};
  const StridedMatrix b = g.transpose_b ? StridedMatrix{b_data, 1, g.k}
                                        : StridedMatrix{b_data, g.n, 1};
  const bool packs_rows = is_crowded(a);
  // Use blocks of about equal size: 513 rows of B become 257 and 256, not 512
  // and 1.
  const std::int64_t inner_blocks = (g.k + kBlockInner - 1) / kBlockInner;
  const std::int64_t inner_size = (g.k + inner_blocks - 1) / inner_blocks;
  for (std::int64_t k = 0; k < g.k; k += inner_size) {
    const std::int64_t inner = std::min(inner_size, g.k - k);
    // Pack a block of B once, then use it for all rows of A.
    for (std::int64_t j0 = 0; j0 < g.n; j0 += kBlockColumns) {
      const std::int64_t columns = std::min(kBlockColumns, g.n - j0);
      for (std::int64_t j = 0; j < columns; j += kPanel) {
        pack_panel(b.at(k, j0 + j), inner, std::min(kPanel, columns - j),
                   blocks.b.get() + j * inner);
      }
      for (std::int64_t i = begin; i < end; i += kBlockRows) {
        const std::int64_t rows = std::min(kBlockRows, end - i);
        StridedMatrix left = a.at(i, k);
        if (packs_rows) left = pack_rows(left, rows, inner, blocks.a.get());
        for (std::int64_t j = 0; j < columns; j += kPanel) {
          // The first inner block overwrites C, later ones add to it.
          const TileOutput out{c + i * g.n + j0 + j, g.n,
                               std::min(kPanel, columns - j),
                               g.accumulate || k > 0};
          const float* panel = blocks.b.get() + j * inner;
          if (out.columns > kLanes) {
            panel_rows<2>(left, rows, inner, panel, out);
          } else {
            panel_rows<1>(left, rows, inner, panel, out);
          }
        }
      }
    }
  }
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(packed_gemm_rows_here);

void packed_gemm_rows(const Gemm& shape, const float* a, const float* b,
                      float* c, std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(packed_gemm_rows_here)(shape, a, b, c, begin, end);
}

}  // namespace lamarck
#endif
