#include "lamarck/text/internal/vector_scan.h"

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/text/internal/vector_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::text::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// One row at a time, because hardware prefetches a single stream best. The four
// sums hide the latency of the additions.
float dot_floats(const float* row, const float* query, std::size_t dimensions) {
  const hn::CappedTag<float, 16> d;
  constexpr std::size_t kSums = 4;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sums[kSums];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::size_t i = 0; i < dimensions; i += kSums * lanes) {
    for (std::size_t k = 0; k < kSums; ++k) {
      const std::size_t at = i + k * lanes;
      sums[k] =
          hn::MulAdd(hn::LoadU(d, query + at), hn::LoadU(d, row + at), sums[k]);
    }
  }
  return hn::GetLane(hn::SumOfLanes(
      d, hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))));
}

void scan_floats_here(const float* rows, std::size_t count,
                      std::size_t dimensions, const float* query, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = dot_floats(rows + i * dimensions, query, dimensions);
  }
}

std::int32_t dot_bytes(const std::int8_t* a, const std::int8_t* b,
                       std::size_t dimensions) {
  const hn::CappedTag<std::int16_t, 32> d16;
  const hn::Repartition<std::int32_t, decltype(d16)> d32;
  const hn::Rebind<std::int8_t, decltype(d16)> d8;
  auto even = hn::Zero(d32);
  auto odd = hn::Zero(d32);
  for (std::size_t i = 0; i < dimensions; i += hn::Lanes(d16)) {
    const auto x = hn::PromoteTo(d16, hn::LoadU(d8, a + i));
    const auto y = hn::PromoteTo(d16, hn::LoadU(d8, b + i));
    even = hn::ReorderWidenMulAccumulate(d32, x, y, even, odd);
  }
  return hn::GetLane(hn::SumOfLanes(d32, hn::Add(even, odd)));
}

void scan_bytes_here(const std::int8_t* rows, std::size_t count,
                     std::size_t dimensions, const std::int8_t* query,
                     std::int32_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = dot_bytes(rows + i * dimensions, query, dimensions);
  }
}

}  // namespace lamarck::text::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::text {

HWY_EXPORT(scan_floats_here);
HWY_EXPORT(scan_bytes_here);

void scan_floats(const float* rows, std::size_t count, std::size_t dimensions,
                 const float* query, float* out) {
  HWY_DYNAMIC_DISPATCH(scan_floats_here)(rows, count, dimensions, query, out);
}
void scan_bytes(const std::int8_t* rows, std::size_t count,
                std::size_t dimensions, const std::int8_t* query,
                std::int32_t* out) {
  HWY_DYNAMIC_DISPATCH(scan_bytes_here)(rows, count, dimensions, query, out);
}

}  // namespace lamarck::text
#endif
