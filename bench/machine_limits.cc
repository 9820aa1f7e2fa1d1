#include "bench/machine_limits.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>

#include <hwy/aligned_allocator.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/machine_limits.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lamarck/tensor/kernel_speed.h"

HWY_BEFORE_NAMESPACE();
namespace lamarck::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// y += 2 x
void stream(const float* x, float* y, std::size_t count) {
  const hn::ScalableTag<float> tag;
  const auto factor = hn::Set(tag, 2.0f);
  const std::size_t lanes = hn::Lanes(tag);
  for (std::size_t i = 0; i < count; i += lanes) {
    hn::Store(hn::MulAdd(factor, hn::Load(tag, x + i), hn::Load(tag, y + i)),
              tag, y + i);
  }
}

}  // namespace lamarck::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::bench {

HWY_EXPORT(stream);

namespace {

double measured_bandwidth(std::size_t bytes) {
  const std::size_t count = bytes / 2 / sizeof(float);
  const auto x = hwy::AllocateAligned<float>(count);
  const auto y = hwy::AllocateAligned<float>(count);
  std::fill_n(x.get(), count, 0.0f);
  std::fill_n(y.get(), count, 0.0f);
  const std::size_t repeats = 1 + (std::size_t{1} << 23) / bytes;
  return best_rate(50, [&] {
    for (std::size_t i = 0; i < repeats; ++i) {
      HWY_DYNAMIC_DISPATCH(stream)(x.get(), y.get(), count);
    }
    return static_cast<double>(3 * sizeof(float) * count * repeats);
  });
}

void run_kernel(benchmark::State& state, const Kernel& kernel) {
  const double start = thread_cpu_seconds();
  for (auto _ : state) {
    kernel.run();
    benchmark::ClobberMemory();
  }
  const double seconds =
      (thread_cpu_seconds() - start) / static_cast<double>(state.iterations());
  const double footprint =
      kernel.footprint > 0 ? kernel.footprint : kernel.bytes;
  const double bandwidth =
      streaming_bandwidth(static_cast<std::size_t>(footprint));
  state.counters["GB/s"] = kernel.bytes / seconds / 1e9;
  state.counters["GFLOP/s"] = kernel.flops / seconds / 1e9;
  state.counters["of_bandwidth"] = kernel.bytes / seconds / bandwidth;
  state.counters["of_peak"] = kernel.flops / seconds / peak_flops();
}

}  // namespace

double streaming_bandwidth(std::size_t bytes) {
  static std::map<std::size_t, double> known;
  // Rounded up to a power of two: sizes that close are in the same cache.
  const std::size_t size = std::max<std::size_t>(4096, std::bit_ceil(bytes));
  double& bandwidth = known[size];
  if (bandwidth == 0) bandwidth = measured_bandwidth(size);
  return bandwidth;
}

float* floats(std::size_t count, float value) {
  static std::deque<hwy::AlignedFreeUniquePtr<float[]>> all;
  float* begin = all.emplace_back(hwy::AllocateAligned<float>(count)).get();
  std::fill_n(begin, count, value);
  return begin;
}

void add_benchmark(const Kernel& kernel) {
  benchmark::RegisterBenchmark(kernel.name.c_str(), run_kernel, kernel);
}

}  // namespace lamarck::bench
#endif  // HWY_ONCE
