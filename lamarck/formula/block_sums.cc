#include "lamarck/formula/block_sums.h"

#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/formula/block_sums.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::formula::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// Sums vectors(i, sum) over whole vectors and rest(i) over the remaining
// elements. Four accumulators hide the latency of the additions.
template <class Vectors, class Rest>
double summed(std::size_t size, Vectors vectors, Rest rest) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V s0 = hn::Zero(d);
  V s1 = hn::Zero(d);
  V s2 = hn::Zero(d);
  V s3 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    s0 = vectors(i, s0);
    s1 = vectors(i + lanes, s1);
    s2 = vectors(i + 2 * lanes, s2);
    s3 = vectors(i + 3 * lanes, s3);
  }
  for (; i + lanes <= size; i += lanes) s0 = vectors(i, s0);
  const V total = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  double sum = hn::GetLane(hn::SumOfLanes(d, total));
  for (; i < size; ++i) sum += rest(i);
  return sum;
}

double dot(const double* a, const double* b, std::size_t size) {
  const D d;
  return summed(
      size,
      [&](std::size_t i, V sum) {
        return hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum);
      },
      [&](std::size_t i) { return a[i] * b[i]; });
}

double squared_distance(const double* a, double shift, std::size_t size) {
  const D d;
  const V s = hn::Set(d, shift);
  return summed(
      size,
      [&](std::size_t i, V sum) {
        const V x = hn::Sub(hn::LoadU(d, a + i), s);
        return hn::MulAdd(x, x, sum);
      },
      [&](std::size_t i) { return (a[i] - shift) * (a[i] - shift); });
}

void add_scaled(const double* a, double factor, double* sum, std::size_t size) {
  const D d;
  const V f = hn::Set(d, factor);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(hn::MulAdd(hn::LoadU(d, a + i), f, hn::LoadU(d, sum + i)), d,
               sum + i);
  }
  for (; i < size; ++i) sum[i] += factor * a[i];
}

void multiply(const double* a, const double* b, double* out, std::size_t size) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  }
  for (; i < size; ++i) out[i] = a[i] * b[i];
}

void scale(const double* a, double factor, double* out, std::size_t size) {
  const D d;
  const V f = hn::Set(d, factor);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(d, a + i), f), d, out + i);
  }
  for (; i < size; ++i) out[i] = factor * a[i];
}

using Floats = hn::ScalableTag<float>;

// Computes a tile of dot products, `Rows` by `Others`, to reuse loaded vectors.
template <std::size_t Rows, std::size_t Others>
void dot_tile(const float* rows, const float* others, std::size_t size,
              std::size_t vectors, float* products) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Floats> sums[Rows][Others];
  for (auto& row : sums) {
    for (auto& sum : row) sum = hn::Zero(d);
  }
  std::size_t k = 0;
  for (; k + lanes <= size; k += lanes) {
    hn::Vec<Floats> a[Rows];
    for (std::size_t i = 0; i < Rows; ++i) {
      a[i] = hn::LoadU(d, rows + i * size + k);
    }
    for (std::size_t j = 0; j < Others; ++j) {
      const auto b = hn::LoadU(d, others + j * size + k);
      for (std::size_t i = 0; i < Rows; ++i) {
        sums[i][j] = hn::MulAdd(a[i], b, sums[i][j]);
      }
    }
  }
  for (std::size_t i = 0; i < Rows; ++i) {
    for (std::size_t j = 0; j < Others; ++j) {
      float sum = hn::GetLane(hn::SumOfLanes(d, sums[i][j]));
      for (std::size_t rest = k; rest < size; ++rest) {
        sum += rows[i * size + rest] * others[j * size + rest];
      }
      products[i * vectors + j] = sum;
    }
  }
}

template <std::size_t Rows>
void dot_rows(const float* rows, const float* others, std::size_t vectors,
              std::size_t size, float* products) {
  std::size_t j = 0;
  for (; j + 4 <= vectors; j += 4) {
    dot_tile<Rows, 4>(rows, others + j * size, size, vectors, products + j);
  }
  for (; j < vectors; ++j) {
    dot_tile<Rows, 1>(rows, others + j * size, size, vectors, products + j);
  }
}

void dot_all(const float* rows, std::size_t count, const float* others,
             std::size_t vectors, std::size_t size, float* products) {
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    dot_rows<2>(rows + i * size, others, vectors, size, products + i * vectors);
  }
  if (i < count) {
    dot_rows<1>(rows + i * size, others, vectors, size, products + i * vectors);
  }
}

// 0 * x is 0 if x is finite and NaN otherwise, so the sum tells whether all
// are.
double zero_if_finite(const double* a, std::size_t size) {
  const D d;
  const V zero = hn::Zero(d);
  return summed(
      size,
      [&](std::size_t i, V sum) {
        return hn::MulAdd(hn::LoadU(d, a + i), zero, sum);
      },
      [&](std::size_t i) { return a[i] * 0.0; });
}

double largest_magnitude(const double* a, std::size_t size) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V largest = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    largest = hn::Max(largest, hn::Abs(hn::LoadU(d, a + i)));
  }
  double all = hn::GetLane(hn::MaxOfLanes(d, largest));
  for (; i < size; ++i) all = std::fmax(all, std::fabs(a[i]));
  return all;
}

}  // namespace
}  // namespace lamarck::formula::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::formula {
namespace {
HWY_EXPORT(dot);
HWY_EXPORT(squared_distance);
HWY_EXPORT(add_scaled);
HWY_EXPORT(multiply);
HWY_EXPORT(scale);
HWY_EXPORT(dot_all);
HWY_EXPORT(zero_if_finite);
HWY_EXPORT(largest_magnitude);
}  // namespace

double dot(const double* a, const double* b, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(dot)(a, b, size);
}
double squared_distance(const double* a, double shift, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(squared_distance)(a, shift, size);
}
void add_scaled(const double* a, double factor, double* sum, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(add_scaled)(a, factor, sum, size);
}
void multiply(const double* a, const double* b, double* out, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(multiply)(a, b, out, size);
}
void scale(const double* a, double factor, double* out, std::size_t size) {
  HWY_DYNAMIC_DISPATCH(scale)(a, factor, out, size);
}
void dot_all(const float* rows, std::size_t count, const float* others,
             std::size_t vectors, std::size_t size, float* products) {
  HWY_DYNAMIC_DISPATCH(dot_all)(rows, count, others, vectors, size, products);
}
bool all_finite(const double* a, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(zero_if_finite)(a, size) == 0;
}
double largest_magnitude(const double* a, std::size_t size) {
  // The vector maximum may ignore NaN.
  if (!all_finite(a, size)) return NAN;
  return HWY_DYNAMIC_DISPATCH(largest_magnitude)(a, size);
}

}  // namespace lamarck::formula
#endif  // HWY_ONCE
