#include "lamarck/tensor/dropout.h"

#include <algorithm>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/dropout.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using U = hn::RebindToUnsigned<D>;
using I = hn::RebindToSigned<D>;
constexpr D kTag{};
constexpr U kBits{};
constexpr I kSigned{};
constexpr std::size_t kMaxLanes = hn::MaxLanes(kTag);

// A random 31-bit number for each position: the finalizer of MurmurHash3, with
// one half of the key mixed in at each end. 31 bits fit a signed comparison.
hn::Vec<I> chance(hn::Vec<U> position, hn::Vec<U> low, hn::Vec<U> high) {
  auto x = hn::Add(hn::Mul(position, hn::Set(kBits, 0x9e3779b1u)), low);
  x = hn::Xor(x, hn::ShiftRight<16>(x));
  x = hn::Mul(x, hn::Set(kBits, 0x85ebca6bu));
  x = hn::Xor(hn::Xor(x, hn::ShiftRight<13>(x)), high);
  x = hn::Mul(x, hn::Set(kBits, 0xc2b2ae35u));
  x = hn::Xor(x, hn::ShiftRight<16>(x));
  return hn::BitCast(kSigned, hn::ShiftRight<1>(x));
}

}  // namespace

void drop_out_here(const Dropout& dropout, const float* x, float* y,
                   std::size_t count) {
  const auto low = hn::Set(kBits, static_cast<std::uint32_t>(dropout.key));
  const auto high =
      hn::Set(kBits, static_cast<std::uint32_t>(dropout.key >> 32));
  // Comparing integers instead of floats gives the same mask on every machine.
  const double bound =
      std::min(double{dropout.probability} * 2147483648.0, 2147483647.0);
  const auto threshold = hn::Set(kSigned, static_cast<std::int32_t>(bound));
  const auto factor = hn::Set(
      kTag, dropout.probability < 1 ? 1 / (1 - dropout.probability) : 0);
  const auto kept = [&](std::size_t at, hn::Vec<D> values) {
    const auto position = hn::Iota(kBits, static_cast<std::uint32_t>(at));
    const auto is_dropped = hn::Lt(chance(position, low, high), threshold);
    return hn::IfThenZeroElse(hn::RebindMask(kTag, is_dropped),
                              hn::Mul(values, factor));
  };
  const auto put = [&](std::size_t at, const float* from, float* to) {
    const auto values = kept(at, hn::LoadU(kTag, from));
    hn::StoreU(
        dropout.accumulate ? hn::Add(values, hn::LoadU(kTag, to)) : values,
        kTag, to);
  };
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) put(i, x + i, y + i);
  if (i == count) return;
  // Process the last few elements through a full vector.
  HWY_ALIGN float from[kMaxLanes] = {};
  HWY_ALIGN float to[kMaxLanes] = {};
  std::copy(x + i, x + count, from);
  std::copy(y + i, y + count, to);
  put(i, from, to);
  std::copy_n(to, count - i, y + i);
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(drop_out_here);

void drop_out(const Dropout& dropout, const float* x, float* y,
              std::size_t count) {
  HWY_DYNAMIC_DISPATCH(drop_out_here)(dropout, x, y, count);
}

}  // namespace lamarck
#endif
