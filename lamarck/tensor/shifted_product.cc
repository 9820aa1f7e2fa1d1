#include "lamarck/tensor/shifted_product.h"

#include <algorithm>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/shifted_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D kTag{};
constexpr hn::CappedTag<float, 8> kHalf{};
constexpr hn::CappedTag<float, 4> kQuarter{};
constexpr std::size_t kMaxLanes = hn::MaxLanes(kTag);
// A tile has kShiftedTile x kVectors sums. With the three inputs and one
// weight, that is 16 vectors, the number of AVX2 registers.
constexpr std::size_t kVectors = 3;

// A vector of output positions: where its inputs are, and its offset in an
// output plane. Rows are split into vectors; the last one may extend beyond its
// row.
struct Place {
  const float* in;
  std::int64_t out;
};

// Iterates over all vectors of an output plane in order.
class Places {
 public:
  explicit Places(const ShiftedProduct& product) : product_(product) {}

  // Fetches the next N vectors, or fewer at the end; returns how many.
  template <std::size_t N>
  std::size_t next(Place (&places)[N]) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
    std::size_t n = 0;
    for (; n < N && row_ < product_.height; ++n) {
      places[n] = {product_.in + row_ * product_.pitch + column_,
                   row_ * product_.width + column_};
      column_ += lanes;
      if (column_ >= product_.width) {
        column_ = 0;
        ++row_;
      }
    }
    return n;
  }

 private:
  const ShiftedProduct& product_;
  std::int64_t row_ = 0;
  std::int64_t column_ = 0;
};

// Stores only up to `end`, where the plane of another output may begin.
void store_until(V values, float* to, const float* end) {
  const std::ptrdiff_t room = end - to;
  if (room >= static_cast<std::ptrdiff_t>(hn::Lanes(kTag))) {
    hn::StoreU(values, kTag, to);
    return;
  }
  HWY_ALIGN float lanes[kMaxLanes];
  hn::Store(values, kTag, lanes);
  std::copy_n(lanes, room, to);
}

// Computes M outputs from `row` on at N vectors of positions. A vector that
// extends beyond its row of the image writes wrong numbers to the start of the
// next row. That row is written later, because positions come in order.
template <std::size_t M, std::size_t N>
void product_tile(const ShiftedProduct& p, const Place* places,
                  std::int64_t row) {
  const float* in[N];
  for (std::size_t n = 0; n < N; ++n) in[n] = places[n].in;
  V sums[M][N];
  for (std::size_t m = 0; m < M; ++m) {
    const V start =
        hn::Set(kTag, p.bias == nullptr ? 0.0f : p.bias[row + std::int64_t(m)]);
    for (std::size_t n = 0; n < N; ++n) sums[m][n] = start;
  }
  const float* weights = p.weights + row * p.taps;
  for (std::int64_t t = 0; t < p.taps; ++t, weights += M) {
    const std::int64_t offset = p.offsets[t];
    V right[N];
    for (std::size_t n = 0; n < N; ++n) {
      right[n] = hn::LoadU(kTag, in[n] + offset);
    }
    for (std::size_t m = 0; m < M; ++m) {
      const V weight = hn::Set(kTag, weights[m]);
      for (std::size_t n = 0; n < N; ++n) {
        sums[m][n] = hn::MulAdd(weight, right[n], sums[m][n]);
      }
    }
  }
  const std::int64_t plane = p.height * p.width;
  const bool fits = places[N - 1].out + std::int64_t(hn::Lanes(kTag)) <= plane;
  float* out = p.out + row * plane;
  for (std::size_t m = 0; m < M; ++m, out += plane) {
    for (std::size_t n = 0; n < N; ++n) {
      if (fits) {
        hn::StoreU(sums[m][n], kTag, out + places[n].out);
      } else {
        store_until(sums[m][n], out + places[n].out, out + plane);
      }
    }
  }
}

template <std::size_t N>
void product_column(const ShiftedProduct& p, const Place* places) {
  std::int64_t row = 0;
  for (; row + kShiftedTile <= p.rows; row += kShiftedTile) {
    product_tile<4, N>(p, places, row);
  }
  if (p.rows - row == 1) product_tile<1, N>(p, places, row);
  if (p.rows - row == 2) product_tile<2, N>(p, places, row);
  if (p.rows - row == 3) product_tile<3, N>(p, places, row);
}

// The taps per tile of shifted_sums. Each load of the left side serves all taps
// of a tile, so AVX-512, with 32 registers, uses twice as many. Taps of one
// channel mostly read the same cache lines, so more taps cost little.
#if HWY_TARGET <= HWY_AVX3
constexpr std::int64_t kSumsTaps = 6;
#else
constexpr std::int64_t kSumsTaps = 3;
#endif

// Computes the sums of M rows and N taps over all images. The loops with
// constant bounds must be unrolled: only then does the compiler keep `sums` in
// registers.
template <std::size_t M, std::size_t N>
void sums_tile(const ShiftedSums& s, std::int64_t row, std::int64_t tap) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  V sums[M][N];
#pragma GCC unroll 8
  for (std::size_t m = 0; m < M; ++m) {
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) sums[m][n] = hn::Zero(kTag);
  }
  for (std::int64_t image = 0; image < s.images; ++image) {
    const float* left = s.left + image * s.left_image + row * s.left_row;
    const float* right[N];
    for (std::size_t n = 0; n < N; ++n) {
      right[n] =
          s.right + image * s.right_image + s.offsets[tap + std::int64_t(n)];
    }
    for (std::int64_t i = 0; i < s.length; i += lanes) {
      V shifted[N];
#pragma GCC unroll 8
      for (std::size_t n = 0; n < N; ++n) {
        shifted[n] = hn::LoadU(kTag, right[n] + i);
      }
#pragma GCC unroll 8
      for (std::size_t m = 0; m < M; ++m) {
        const V each = hn::LoadU(kTag, left + std::int64_t(m) * s.left_row + i);
#pragma GCC unroll 8
        for (std::size_t n = 0; n < N; ++n) {
          sums[m][n] = hn::MulAdd(each, shifted[n], sums[m][n]);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (std::size_t m = 0; m < M; ++m) {
    float* to = s.sums + (row + std::int64_t(m)) * s.taps + tap;
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      to[n] += hn::GetLane(hn::SumOfLanes(kTag, sums[m][n]));
    }
  }
}

template <std::size_t M>
void sums_rows(const ShiftedSums& s, std::int64_t row) {
  std::int64_t tap = 0;
  for (; tap + kSumsTaps <= s.taps; tap += kSumsTaps) {
    sums_tile<M, kSumsTaps>(s, row, tap);
  }
  for (; tap + 3 <= s.taps; tap += 3) sums_tile<M, 3>(s, row, tap);
  if (s.taps - tap == 1) sums_tile<M, 1>(s, row, tap);
  if (s.taps - tap == 2) sums_tile<M, 2>(s, row, tap);
}

// Rows of images are short, so calling memcpy for each would cost more than the
// copy. REQUIRES: rows are at least one vector long.
template <class Tag>
void copy_by_vectors(Tag tag, const RowCopy& copy) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  const float* from = copy.from;
  float* to = copy.to;
  for (std::int64_t i = 0; i < copy.height; ++i) {
    for (std::int64_t j = 0; j + lanes < copy.width; j += lanes) {
      hn::StoreU(hn::LoadU(tag, from + j), tag, to + j);
    }
    // The last vector of a row overlaps the previous one.
    const std::int64_t last = copy.width - lanes;
    hn::StoreU(hn::LoadU(tag, from + last), tag, to + last);
    from += copy.from_pitch;
    to += copy.to_pitch;
  }
}

}  // namespace

void shifted_product_here(const ShiftedProduct& p) {
  Places places(p);
  Place next[kVectors];
  while (true) {
    switch (places.next(next)) {
      case 3:
        product_column<3>(p, next);
        break;
      case 2:
        return product_column<2>(p, next);
      case 1:
        return product_column<1>(p, next);
      default:
        return;
    }
  }
}

void shifted_sums_here(const ShiftedSums& s) {
  std::int64_t row = 0;
  for (; row + 4 <= s.rows; row += 4) sums_rows<4>(s, row);
  for (; row < s.rows; ++row) sums_rows<1>(s, row);
}

void copy_rows_here(const RowCopy& copy) {
  const auto fits = [&](auto tag) {
    return copy.width >= static_cast<std::int64_t>(hn::Lanes(tag));
  };
  if (fits(kTag)) return copy_by_vectors(kTag, copy);
  if (fits(kHalf)) return copy_by_vectors(kHalf, copy);
  if (fits(kQuarter)) return copy_by_vectors(kQuarter, copy);
  for (std::int64_t i = 0; i < copy.height; ++i) {
    std::copy_n(copy.from + i * copy.from_pitch, copy.width,
                copy.to + i * copy.to_pitch);
  }
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(shifted_product_here);
HWY_EXPORT(shifted_sums_here);
HWY_EXPORT(copy_rows_here);

void shifted_product(const ShiftedProduct& product) {
  HWY_DYNAMIC_DISPATCH(shifted_product_here)(product);
}
void shifted_sums(const ShiftedSums& sums) {
  HWY_DYNAMIC_DISPATCH(shifted_sums_here)(sums);
}
void copy_rows(const RowCopy& copy) {
  HWY_DYNAMIC_DISPATCH(copy_rows_here)(copy);
}

}  // namespace lamarck
#endif
