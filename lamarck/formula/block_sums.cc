#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/formula/block_sums.cc"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once for each target.
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#include "lamarck/formula/block_sums.h"

HWY_BEFORE_NAMESPACE();
namespace lamarck::formula::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// Adds up term(i) as a vector for whole vectors, as numbers for the rest.
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

// 0 * x is 0 for what is finite and not a number else.
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
bool all_finite(const double* a, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(zero_if_finite)(a, size) == 0;
}
double largest_magnitude(const double* a, std::size_t size) {
  if (!all_finite(a, size)) return NAN;
  return HWY_DYNAMIC_DISPATCH(largest_magnitude)(a, size);
}

}  // namespace lamarck::formula
#endif  // HWY_ONCE
