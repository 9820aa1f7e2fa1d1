#include "lamarck/tensor/winograd_rows.h"

#include <algorithm>
#include <new>

#include "lamarck/tensor/shifted_product.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/winograd_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Calls each(tag, column) for vectors that cover `width` columns. The last
// vector overlaps the previous one; if the row is too short for that, vectors
// are narrower.
template <class F>
void cover_columns(std::int64_t width, F&& each) {
  const hn::ScalableTag<float> whole;
  const hn::CappedTag<float, 8> half;
  const hn::CappedTag<float, 4> quarter;
  const auto cover = [&](auto tag) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    if (width < lanes) return false;
    for (std::int64_t j = 0; j + lanes < width; j += lanes) each(tag, j);
    each(tag, width - lanes);
    return true;
  };
  if (cover(whole) || cover(half) || cover(quarter)) return;
  for (std::int64_t j = 0; j < width; ++j) each(hn::CappedTag<float, 1>(), j);
}

}  // namespace

// Writes the four transformed rows of each pair of output rows, `step` floats
// apart.
void transform_plane_here(const WinogradRows& w, const float* plane, float* to,
                          std::int64_t step) {
  for (std::int64_t pair = 0; pair < w.pairs(); ++pair) {
    const float* rows = plane + 2 * pair * w.pitch;
    float* sums = to + pair * w.pitch;
    cover_columns(w.pitch, [&](auto tag, std::int64_t j) {
      const auto a = hn::LoadU(tag, rows + j);
      const auto b = hn::LoadU(tag, rows + w.pitch + j);
      const auto c = hn::LoadU(tag, rows + 2 * w.pitch + j);
      const auto d = hn::LoadU(tag, rows + 3 * w.pitch + j);
      hn::StoreU(hn::Sub(a, c), tag, sums + j);
      hn::StoreU(hn::Add(b, c), tag, sums + step + j);
      hn::StoreU(hn::Sub(c, b), tag, sums + 2 * step + j);
      hn::StoreU(hn::Sub(b, d), tag, sums + 3 * step + j);
    });
  }
}

// Computes each pair of output rows from its four products, `step` floats
// apart.
void combine_plane_here(const WinogradRows& w, const float* products,
                        std::int64_t step, float bias, float* out) {
  const auto combine = [&](auto tag, std::int64_t pair, std::int64_t j) {
    const float* from = products + pair * w.width + j;
    float* top = out + 2 * pair * w.width + j;
    const auto a = hn::LoadU(tag, from);
    const auto b = hn::LoadU(tag, from + step);
    const auto c = hn::LoadU(tag, from + 2 * step);
    const auto start = hn::Add(b, hn::Set(tag, bias));
    hn::StoreU(hn::Add(hn::Add(a, c), start), tag, top);
    if (2 * pair + 1 == w.height) return;  // An odd height ends with one row.
    const auto d = hn::LoadU(tag, from + 3 * step);
    hn::StoreU(hn::Sub(start, hn::Add(c, d)), tag, top + w.width);
  };
  const hn::ScalableTag<float> whole;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(whole));
  // A row that is shorter than a vector, but not by half, is covered by one
  // vector that extends into the next row, which is written later. The last
  // pair is covered exactly, because memory of another plane may follow.
  const bool is_short = w.width < lanes && 2 * w.width > lanes;
  for (std::int64_t pair = 0; pair < w.pairs(); ++pair) {
    if (is_short && pair + 1 < w.pairs()) {
      combine(whole, pair, 0);
      continue;
    }
    cover_columns(w.width,
                  [&](auto tag, std::int64_t j) { combine(tag, pair, j); });
  }
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(transform_plane_here);
HWY_EXPORT(combine_plane_here);

namespace {

// The distance, in floats, between two of the four kinds of transformed rows,
// products and weights.
std::int64_t sums_step(const WinogradRows& w) {
  return w.channels * kWinogradImages * w.pairs() * w.pitch;
}
std::int64_t products_step(const WinogradRows& w) {
  return kShiftedTile * kWinogradImages * w.pairs() * w.width;
}
std::int64_t weights_step(const WinogradRows& w) {
  return w.outputs * w.taps();
}

}  // namespace

std::int64_t winograd_scratch(const WinogradRows& w) {
  return 4 * weights_step(w) + w.taps() + 4 * sums_step(w) + kShiftedSlack +
         4 * products_step(w);
}

WinogradWork::WinogradWork(const WinogradRows& w, float* scratch)
    : weights(scratch),
      offsets(new (weights + 4 * weights_step(w))
                  std::int32_t[static_cast<std::size_t>(w.taps())]),
      sums(weights + 4 * weights_step(w) + w.taps()),
      products(sums + 4 * sums_step(w) + kShiftedSlack) {}

void transform_kernels(const WinogradRows& w, const WinogradWork& work,
                       const WinogradKernels& kernels,
                       const std::int32_t* shifts) {
  const std::int64_t step = weights_step(w);
  for (std::int64_t output = 0; output < w.outputs; ++output) {
    for (std::int64_t tap = 0; tap < w.taps(); ++tap) {
      const float* at = kernels.first + output * kernels.output_step +
                        tap / w.columns * kernels.channel_step +
                        tap % w.columns;
      const float a = at[0];
      const float b = at[kernels.row_step];
      const float c = at[2 * kernels.row_step];
      float* to =
          work.weights + packed_weight(w.outputs, w.taps(), output, tap);
      to[0] = a;
      to[step] = (a + b + c) / 2;
      to[2 * step] = (a - b + c) / 2;
      to[3 * step] = c;
    }
  }
  const std::int64_t channel = kWinogradImages * w.pairs() * w.pitch;
  for (std::int64_t tap = 0; tap < w.taps(); ++tap) {
    work.offsets[tap] = static_cast<std::int32_t>(tap / w.columns * channel) +
                        shifts[tap % w.columns];
  }
  // Vectors read past the last row, so the slack must hold numbers.
  std::fill_n(work.sums + 4 * sums_step(w), kShiftedSlack, 0.0f);
}

void transform_image(const WinogradRows& w, const WinogradWork& work,
                     const float* planes, std::int64_t image) {
  const std::int64_t rows = w.pairs() * w.pitch;
  for (std::int64_t channel = 0; channel < w.channels; ++channel) {
    HWY_DYNAMIC_DISPATCH(transform_plane_here)
    (w, planes + channel * w.plane,
     work.sums + (channel * kWinogradImages + image) * rows, sums_step(w));
  }
}

void multiply_images(const WinogradRows& w, const WinogradWork& work,
                     std::int64_t images, const float* bias, float* out,
                     std::int64_t out_image) {
  const std::int64_t plane = w.pairs() * w.width;
  for (std::int64_t first = 0; first < w.outputs; first += kShiftedTile) {
    const std::int64_t outputs = std::min(kShiftedTile, w.outputs - first);
    for (std::int64_t k = 0; k < 4; ++k) {
      shifted_product(
          {.rows = outputs,
           .taps = w.taps(),
           .weights = work.weights + k * weights_step(w) + first * w.taps(),
           .offsets = work.offsets,
           .in = work.sums + k * sums_step(w),
           .pitch = w.pitch,
           .height = images * w.pairs(),
           .width = w.width,
           .out = work.products + k * products_step(w)});
    }
    for (std::int64_t output = 0; output < outputs; ++output) {
      for (std::int64_t image = 0; image < images; ++image) {
        HWY_DYNAMIC_DISPATCH(combine_plane_here)
        (w, work.products + (output * images + image) * plane, products_step(w),
         bias == nullptr ? 0.0f : bias[first + output],
         out + image * out_image + (first + output) * w.height * w.width);
      }
    }
  }
}

}  // namespace lamarck
#endif
