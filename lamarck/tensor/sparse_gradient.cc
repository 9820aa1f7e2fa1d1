#include "lamarck/tensor/sparse_gradient.h"

#include <algorithm>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/sparse_gradient.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D kTag{};

// One vector of the sums, and the offset of its inputs within a window.
struct SumsPart {
  std::int64_t in;
  float* sums;
};

// Keeps N vectors of sums in registers and adds the windows of all nonzero
// elements to them. The loops with constant bounds must be unrolled: only then
// does the compiler keep `sums` in registers.
template <std::size_t N>
void sum_parts(const SparseSums& s, const SumsPart* parts) {
  V sums[N];
#pragma GCC unroll 8
  for (std::size_t n = 0; n < N; ++n) sums[n] = hn::LoadU(kTag, parts[n].sums);
  for (std::int64_t i = 0; i < s.count; ++i) {
    const V value = hn::Set(kTag, s.values[i]);
    const float* in = s.in + s.offsets[i];
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      sums[n] = hn::MulAdd(value, hn::LoadU(kTag, in + parts[n].in), sums[n]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t n = 0; n < N; ++n) hn::StoreU(sums[n], kTag, parts[n].sums);
}

}  // namespace

std::int64_t gather_nonzeros_here(const float* from, const std::int32_t* places,
                                  std::int64_t count, std::int32_t base,
                                  float* values, std::int32_t* offsets) {
  const hn::RebindToSigned<D> integers;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const auto first = hn::Set(integers, base);
  std::int64_t found = 0;
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V each = hn::LoadU(kTag, from + i);
    // Not(Eq) instead of Ne, which is false for NaN: a NaN must propagate.
    const auto is_nonzero = hn::Not(hn::Eq(each, hn::Zero(kTag)));
    const auto place = hn::Add(first, hn::LoadU(integers, places + i));
    // Compress moves the nonzero lanes to the front. The whole vector is
    // stored; the next iteration overwrites the lanes after them.
    hn::StoreU(hn::Compress(each, is_nonzero), kTag, values + found);
    hn::StoreU(hn::Compress(place, hn::RebindMask(integers, is_nonzero)),
               integers, offsets + found);
    found += static_cast<std::int64_t>(hn::CountTrue(kTag, is_nonzero));
  }
  // Write always and advance only past nonzero elements, which avoids a branch.
  for (; i < count; ++i) {
    values[found] = from[i];
    offsets[found] = base + places[i];
    found += from[i] != 0 ? 1 : 0;
  }
  return found;
}

void sparse_sums_here(const SparseSums& s) {
  // Independent sums hide the latency of the multiply-adds, and each load of a
  // value and its offset serves all of them.
  constexpr std::size_t kParts = 6;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  SumsPart parts[kParts];
  std::size_t n = 0;
  for (std::int64_t row = 0; row < s.rows; ++row) {
    for (std::int64_t i = 0; i < s.row_length; i += lanes) {
      parts[n++] = {row * s.row_pitch + i,
                    s.sums + row * padded_length(s.row_length) + i};
      if (n == kParts) {
        sum_parts<kParts>(s, parts);
        n = 0;
      }
    }
  }
  if (n >= 3) {
    sum_parts<3>(s, parts);
    std::copy_n(parts + 3, n - 3, parts);
    n -= 3;
  }
  if (n == 2) sum_parts<2>(s, parts);
  if (n == 1) sum_parts<1>(s, parts);
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(gather_nonzeros_here);
HWY_EXPORT(sparse_sums_here);

std::int64_t gather_nonzeros(const float* from, const std::int32_t* places,
                             std::int64_t count, std::int32_t base,
                             float* values, std::int32_t* offsets) {
  return HWY_DYNAMIC_DISPATCH(gather_nonzeros_here)(from, places, count, base,
                                                    values, offsets);
}
void sparse_sums(const SparseSums& sums) {
  HWY_DYNAMIC_DISPATCH(sparse_sums_here)(sums);
}

}  // namespace lamarck
#endif
