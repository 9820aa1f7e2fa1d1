#include "lamarck/tensor/vector_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/vector_math.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D kTag{};
constexpr std::size_t kMaxLanes = hn::MaxLanes(kTag);

// Folds x with four accumulators, which hide the latency of the operation, and
// the remainder one by one. `start` is a float because a vector argument keeps
// GCC from clearing the upper halves of registers at the end, which slows down
// the code after the call.
template <class Fold, class FoldOne, class Reduce>
float fold(const float* x, std::size_t count, float start, Fold&& fold_vector,
           FoldOne&& fold_one, Reduce&& reduce) {
  const std::size_t lanes = hn::Lanes(kTag);
  const V first = hn::Set(kTag, start);
  V sums[4] = {first, first, first, first};
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    for (std::size_t k = 0; k < 4; ++k) {
      sums[k] = fold_vector(sums[k], hn::LoadU(kTag, x + i + k * lanes));
    }
  }
  for (; i + lanes <= count; i += lanes) {
    sums[0] = fold_vector(sums[0], hn::LoadU(kTag, x + i));
  }
  float result = hn::GetLane(reduce(fold_vector(
      fold_vector(sums[0], sums[1]), fold_vector(sums[2], sums[3]))));
  for (; i < count; ++i) result = fold_one(result, x[i]);
  return result;
}

float sum_block(const float* x, std::size_t count) {
  return fold(
      x, count, 0, [](V a, V b) { return hn::Add(a, b); },
      [](float a, float b) { return a + b; },
      [](V v) { return hn::SumOfLanes(kTag, v); });
}

// The larger and the smaller of two; NaN if either is NaN, which Highway leaves
// open.
V larger(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Add(a, b),
                        hn::Max(a, b));
}
V smaller(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Add(a, b),
                        hn::Min(a, b));
}
float larger(float a, float b) { return a > b || std::isnan(a) ? a : b; }
float smaller(float a, float b) { return a < b || std::isnan(a) ? a : b; }

// `reduced`, or NaN if a lane of `v` is NaN.
V or_nan(V v, V reduced) {
  if (hn::AllFalse(kTag, hn::IsNaN(v))) return reduced;
  return hn::Set(kTag, std::numeric_limits<float>::quiet_NaN());
}

// Calls vector(index) for whole vectors and one(index) for the remainder.
template <class Vector, class One>
void loop(std::size_t count, Vector&& vector, One&& one) {
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) vector(i);
  for (; i < count; ++i) one(i);
}

}  // namespace

// Functions with the suffix _here are the versions for one instruction set;
// those at the end of the file select one at run time.

// Pairwise summation: the rounding error grows with log(count), not with count.
// Splits at multiples of kBlock, so that all blocks but the last are full.
float sum_of_here(const float* x, std::size_t count) {
  constexpr std::size_t kBlock = 512;
  if (count <= kBlock) return sum_block(x, count);
  const std::size_t half = count / 2 / kBlock * kBlock + kBlock;
  if (half >= count) {
    return sum_block(x, kBlock) + sum_of_here(x + kBlock, count - kBlock);
  }
  return sum_of_here(x, half) + sum_of_here(x + half, count - half);
}

float dot_here(const float* a, const float* b, std::size_t count) {
  const std::size_t lanes = hn::Lanes(kTag);
  V sums[2] = {hn::Zero(kTag), hn::Zero(kTag)};
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    sums[0] =
        hn::MulAdd(hn::LoadU(kTag, a + i), hn::LoadU(kTag, b + i), sums[0]);
    sums[1] = hn::MulAdd(hn::LoadU(kTag, a + i + lanes),
                         hn::LoadU(kTag, b + i + lanes), sums[1]);
  }
  for (; i + lanes <= count; i += lanes) {
    sums[0] =
        hn::MulAdd(hn::LoadU(kTag, a + i), hn::LoadU(kTag, b + i), sums[0]);
  }
  float result = hn::GetLane(hn::SumOfLanes(kTag, hn::Add(sums[0], sums[1])));
  for (; i < count; ++i) result += a[i] * b[i];
  return result;
}

float max_of_here(const float* x, std::size_t count) {
  return fold(
      x, count, x[0], [](V a, V b) { return larger(a, b); },
      [](float a, float b) { return larger(a, b); },
      [](V v) { return or_nan(v, hn::MaxOfLanes(kTag, v)); });
}

float min_of_here(const float* x, std::size_t count) {
  return fold(
      x, count, x[0], [](V a, V b) { return smaller(a, b); },
      [](float a, float b) { return smaller(a, b); },
      [](V v) { return or_nan(v, hn::MinOfLanes(kTag, v)); });
}

void add_to_here(const float* x, float* y, std::size_t count) {
  loop(
      count,
      [&](std::size_t i) {
        hn::StoreU(hn::Add(hn::LoadU(kTag, x + i), hn::LoadU(kTag, y + i)),
                   kTag, y + i);
      },
      [&](std::size_t i) { y[i] += x[i]; });
}

// Sums stay in registers while the rows of a few columns are added.
void add_rows_to_here(const float* x, std::size_t rows, float* y,
                      std::size_t count) {
  constexpr std::size_t kVectors = 8;
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t at = 0;
  for (; at + kVectors * lanes <= count; at += kVectors * lanes) {
    V sums[kVectors];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = hn::LoadU(kTag, y + at + v * lanes);
    }
    for (std::size_t row = 0; row < rows; ++row) {
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[v] =
            hn::Add(sums[v], hn::LoadU(kTag, x + row * count + at + v * lanes));
      }
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[v], kTag, y + at + v * lanes);
    }
  }
  if (at == count) return;
  for (std::size_t row = 0; row < rows; ++row) {
    add_to_here(x + row * count + at, y + at, count - at);
  }
}

void add_scaled_to_here(float factor, const float* x, float* y,
                        std::size_t count) {
  const V factors = hn::Set(kTag, factor);
  loop(
      count,
      [&](std::size_t i) {
        hn::StoreU(
            hn::MulAdd(factors, hn::LoadU(kTag, x + i), hn::LoadU(kTag, y + i)),
            kTag, y + i);
      },
      [&](std::size_t i) { y[i] += factor * x[i]; });
}

void scale_here(float factor, const float* x, float* y, std::size_t count) {
  const V factors = hn::Set(kTag, factor);
  loop(
      count,
      [&](std::size_t i) {
        hn::StoreU(hn::Mul(factors, hn::LoadU(kTag, x + i)), kTag, y + i);
      },
      [&](std::size_t i) { y[i] = factor * x[i]; });
}

void max_to_here(const float* x, float* y, std::size_t count) {
  loop(
      count,
      [&](std::size_t i) {
        hn::StoreU(larger(hn::LoadU(kTag, x + i), hn::LoadU(kTag, y + i)), kTag,
                   y + i);
      },
      [&](std::size_t i) { y[i] = larger(x[i], y[i]); });
}

void min_to_here(const float* x, float* y, std::size_t count) {
  loop(
      count,
      [&](std::size_t i) {
        hn::StoreU(smaller(hn::LoadU(kTag, x + i), hn::LoadU(kTag, y + i)),
                   kTag, y + i);
      },
      [&](std::size_t i) { y[i] = smaller(x[i], y[i]); });
}

float exp_shifted_here(const float* x, float shift, float* y,
                       std::size_t count) {
  const V shifts = hn::Set(kTag, shift);
  // Below -87 the exponential would be subnormal, which is slow; use 0.
  const auto exponential = [&](V value) {
    const V z = hn::Sub(value, shifts);
    const V power =
        hn::IfThenElseZero(hn::Gt(z, hn::Set(kTag, -87.0f)), hn::Exp(kTag, z));
    return hn::IfThenElse(hn::IsNaN(z), z, power);  // Exp loses NaN.
  };
  const std::size_t lanes = hn::Lanes(kTag);
  V sums = hn::Zero(kTag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V value = exponential(hn::LoadU(kTag, x + i));
    hn::StoreU(value, kTag, y + i);
    sums = hn::Add(sums, value);
  }
  float sum = hn::GetLane(hn::SumOfLanes(kTag, sums));
  if (i == count) return sum;
  // Process the last few elements through a full vector.
  HWY_ALIGN float tail[kMaxLanes];
  std::fill_n(tail, lanes, shift);
  std::copy(x + i, x + count, tail);
  hn::Store(exponential(hn::Load(kTag, tail)), kTag, tail);
  for (std::size_t k = 0; i + k < count; ++k) sum += y[i + k] = tail[k];
  return sum;
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(sum_of_here);
HWY_EXPORT(dot_here);
HWY_EXPORT(max_of_here);
HWY_EXPORT(min_of_here);
HWY_EXPORT(add_to_here);
HWY_EXPORT(add_rows_to_here);
HWY_EXPORT(add_scaled_to_here);
HWY_EXPORT(scale_here);
HWY_EXPORT(max_to_here);
HWY_EXPORT(min_to_here);
HWY_EXPORT(exp_shifted_here);

float sum_of(const float* x, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(sum_of_here)(x, count);
}
float dot(const float* a, const float* b, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(dot_here)(a, b, count);
}
float max_of(const float* x, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(max_of_here)(x, count);
}
float min_of(const float* x, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(min_of_here)(x, count);
}
void add_to(const float* x, float* y, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(add_to_here)(x, y, count);
}
void add_rows_to(const float* x, std::size_t rows, float* y,
                 std::size_t count) {
  HWY_DYNAMIC_DISPATCH(add_rows_to_here)(x, rows, y, count);
}
void add_scaled_to(float factor, const float* x, float* y, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(add_scaled_to_here)(factor, x, y, count);
}
void scale(float factor, const float* x, float* y, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(scale_here)(factor, x, y, count);
}
void max_to(const float* x, float* y, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(max_to_here)(x, y, count);
}
void min_to(const float* x, float* y, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(min_to_here)(x, y, count);
}
float exp_shifted(const float* x, float shift, float* y, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(exp_shifted_here)(x, shift, y, count);
}

}  // namespace lamarck
#endif
