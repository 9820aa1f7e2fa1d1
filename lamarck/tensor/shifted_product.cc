#include "lamarck/tensor/shifted_product.h"

#include <algorithm>

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
constexpr std::size_t kMaxLanes = hn::MaxLanes(kTag);
// Registers hold kShiftedTile x kVectors sums, and what they are made of.
constexpr std::size_t kVectors = 3;

// The places, as vectors: each row is cut into vectors, the last of which may
// reach beyond the row.
struct Places {
  explicit Places(const ShiftedProduct& p)
      : lanes(static_cast<std::int64_t>(hn::Lanes(kTag))),
        in_row((p.width + lanes - 1) / lanes),
        count(in_row * p.height) {}

  std::int64_t lanes;
  std::int64_t in_row;
  std::int64_t count;
};

// Not beyond `end`, which another row of the output may begin at.
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

// M rows from `row` on at the N vectors of places from `place` on. A vector
// that reaches beyond its row of the image leaves wrong numbers at the start of
// the next one; that is written later, because places come in order.
template <std::size_t M, std::size_t N>
void product_tile(const ShiftedProduct& p, const Places& places,
                  std::int64_t row, std::int64_t place) {
  const float* in[N];
  std::int64_t to[N];
  for (std::size_t n = 0; n < N; ++n) {
    const std::int64_t at = place + static_cast<std::int64_t>(n);
    const std::int64_t i = at / places.in_row;
    const std::int64_t j = (at - i * places.in_row) * places.lanes;
    in[n] = p.in + i * p.pitch + j;
    to[n] = i * p.width + j;
  }
  V sums[M][N];
  for (std::size_t m = 0; m < M; ++m) {
    const float start = p.bias == nullptr ? 0.0f : p.bias[row + std::int64_t(m)];
    for (std::size_t n = 0; n < N; ++n) sums[m][n] = hn::Set(kTag, start);
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
  float* out = p.out + row * plane;
  for (std::size_t m = 0; m < M; ++m, out += plane) {
    for (std::size_t n = 0; n < N; ++n) {
      store_until(sums[m][n], out + to[n], out + plane);
    }
  }
}

template <std::size_t N>
void product_column(const ShiftedProduct& p, const Places& places,
                    std::int64_t place) {
  std::int64_t row = 0;
  for (; row + kShiftedTile <= p.rows; row += kShiftedTile) {
    product_tile<4, N>(p, places, row, place);
  }
  switch (p.rows - row) {
    case 1:
      return product_tile<1, N>(p, places, row, place);
    case 2:
      return product_tile<2, N>(p, places, row, place);
    case 3:
      return product_tile<3, N>(p, places, row, place);
    default:
      return;
  }
}

// M rows against N taps, over all images and places.
template <std::size_t M, std::size_t N>
void sums_tile(const ShiftedSums& s, std::int64_t row, std::int64_t tap) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const auto tail = hn::FirstN(kTag, static_cast<std::size_t>(s.width % lanes));
  const std::int64_t plane = s.height * s.width;
  V sums[M][N];
  for (auto& of_row : sums) {
    for (V& sum : of_row) sum = hn::Zero(kTag);
  }
  for (std::int64_t image = 0; image < s.images; ++image) {
    const float* dense = s.dense + image * s.dense_image + row * plane;
    const float* in[N];
    for (std::size_t n = 0; n < N; ++n) {
      in[n] = s.in + image * s.in_image + s.offsets[tap + std::int64_t(n)];
    }
    for (std::int64_t i = 0; i < s.height; ++i) {
      const auto add = [&](std::int64_t j, auto&& load_left) {
        V right[N];
        for (std::size_t n = 0; n < N; ++n) {
          right[n] = hn::LoadU(kTag, in[n] + j);
        }
        for (std::size_t m = 0; m < M; ++m) {
          const V left = load_left(dense + std::int64_t(m) * plane + j);
          for (std::size_t n = 0; n < N; ++n) {
            sums[m][n] = hn::MulAdd(left, right[n], sums[m][n]);
          }
        }
      };
      std::int64_t j = 0;
      for (; j + lanes <= s.width; j += lanes) {
        add(j, [](const float* from) { return hn::LoadU(kTag, from); });
      }
      if (j < s.width) {
        add(j, [&](const float* from) {
          return hn::MaskedLoad(tail, kTag, from);
        });
      }
      dense += s.width;
      for (const float*& from : in) from += s.pitch;
    }
  }
  for (std::size_t m = 0; m < M; ++m) {
    float* to = s.sums + (row + std::int64_t(m)) * s.taps + tap;
    for (std::size_t n = 0; n < N; ++n) {
      to[n] += hn::GetLane(hn::SumOfLanes(kTag, sums[m][n]));
    }
  }
}

template <std::size_t M>
void sums_rows(const ShiftedSums& s, std::int64_t row) {
  std::int64_t tap = 0;
  for (; tap + std::int64_t(kVectors) <= s.taps; tap += kVectors) {
    sums_tile<M, kVectors>(s, row, tap);
  }
  if (s.taps - tap == 1) sums_tile<M, 1>(s, row, tap);
  if (s.taps - tap == 2) sums_tile<M, 2>(s, row, tap);
}

}  // namespace

void shifted_product_here(const ShiftedProduct& p) {
  const Places places(p);
  std::int64_t place = 0;
  for (; place + std::int64_t(kVectors) <= places.count; place += kVectors) {
    product_column<kVectors>(p, places, place);
  }
  if (places.count - place == 1) product_column<1>(p, places, place);
  if (places.count - place == 2) product_column<2>(p, places, place);
}

void shifted_sums_here(const ShiftedSums& s) {
  std::int64_t row = 0;
  for (; row + kShiftedTile <= s.rows; row += kShiftedTile) {
    sums_rows<4>(s, row);
  }
  for (; row < s.rows; ++row) sums_rows<1>(s, row);
}

void copy_rows_here(const RowCopy& copy) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const float* from = copy.from;
  float* to = copy.to;
  for (std::int64_t i = 0; i < copy.height; ++i) {
    std::int64_t j = 0;
    for (; j + lanes <= copy.width; j += lanes) {
      hn::StoreU(hn::LoadU(kTag, from + j), kTag, to + j);
    }
    if (copy.width >= lanes) {  // The last vector overlaps.
      j = copy.width - lanes;
      hn::StoreU(hn::LoadU(kTag, from + j), kTag, to + j);
    } else {
      for (; j < copy.width; ++j) to[j] = from[j];
    }
    from += copy.from_pitch;
    to += copy.to_pitch;
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
