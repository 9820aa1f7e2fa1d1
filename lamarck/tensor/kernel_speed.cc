#include "lamarck/tensor/kernel_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

// Highway compiles the rest of this file once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/tensor/kernel_speed.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lamarck/tensor/convolution.h"
#include "lamarck/tensor/gemm.h"

HWY_BEFORE_NAMESPACE();
namespace lamarck::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Runs enough independent chains to hide the latency of a multiply-add. Returns
// the number of operations; `result` keeps the compiler from removing them.
double multiply_add_here(std::size_t rounds, volatile float& result) {
  constexpr std::size_t kChains = 12;
  const hn::ScalableTag<float> tag;
  const auto factor = hn::Set(tag, 0.999f);
  hn::Vec<decltype(tag)> sums[kChains];
  // The loops over chains must be unrolled to keep `sums` in registers.
#pragma GCC unroll 12
  for (std::size_t c = 0; c < kChains; ++c) {
    // Different values, or else the compiler merges the chains.
    sums[c] = hn::Set(tag, 1.0f + 0.01f * static_cast<float>(c));
  }
  for (std::size_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (std::size_t c = 0; c < kChains; ++c) {
      sums[c] = hn::MulAdd(sums[c], factor, factor);
    }
  }
  auto total = hn::Zero(tag);
#pragma GCC unroll 12
  for (std::size_t c = 0; c < kChains; ++c) total = hn::Add(total, sums[c]);
  result = hn::GetLane(hn::SumOfLanes(tag, total));
  return 2.0 * static_cast<double>(rounds * kChains * hn::Lanes(tag));
}

}  // namespace lamarck::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck {

HWY_EXPORT(multiply_add_here);

namespace {

constexpr double kSecondsPerKernel = 0.12;

// Repeats `run`, which does `flops` operations, for a fixed time.
double measured_flops(double flops, const std::function<void()>& run) {
  run();  // Allocates memory and warms up the caches.
  const double start = thread_cpu_seconds();
  double best = 0;
  do {
    // Repeat small kernels, so that each measurement takes about 2 ms: the
    // clock counts in microseconds.
    const int repeats = std::max(1, static_cast<int>(2e8 / flops));
    best = std::max(best, best_rate(1, [&] {
                      for (int i = 0; i < repeats; ++i) run();
                      return flops * repeats;
                    }));
  } while (thread_cpu_seconds() - start < kSecondsPerKernel);
  return best;
}

KernelSpeed product_speed(std::int64_t m, std::int64_t k, std::int64_t n) {
  const std::vector<float> a(static_cast<std::size_t>(m * k), 0.5f);
  const std::vector<float> b(static_cast<std::size_t>(k * n), 0.5f);
  std::vector<float> c(static_cast<std::size_t>(m * n));
  const Gemm shape{.m = m, .n = n, .k = k};
  return {fmt::format("product {}x{}x{}", m, k, n),
          measured_flops(2.0 * static_cast<double>(m * k * n),
                         [&] { gemm(shape, a.data(), b.data(), c.data()); })};
}

// 3x3 kernels on 32x32 images with equal numbers of input and output channels.
KernelSpeed convolution_speed(std::int64_t channels) {
  constexpr std::int64_t kSize = 32;
  const WindowAxis axis{.size = kSize, .kernel = 3, .stride = 1, .padding = 1};
  const Convolution shape{.batch = 1,
                          .channels = channels,
                          .outputs = channels,
                          .y = axis,
                          .x = axis};
  const std::int64_t image = channels * kSize * kSize;
  const std::int64_t taps = channels * 9;
  const std::vector<float> x(static_cast<std::size_t>(image), 0.5f);
  const std::vector<float> kernels(static_cast<std::size_t>(channels * taps),
                                   0.5f);
  std::vector<float> y(static_cast<std::size_t>(image));
  std::vector<float> scratch(
      static_cast<std::size_t>(convolution_scratch(shape)));
  return {fmt::format("convolution {0}x{1}x{1}, 3x3", channels, kSize),
          measured_flops(2.0 * static_cast<double>(image * taps), [&] {
            convolve(shape, x.data(), kernels.data(), nullptr, y.data(),
                     scratch.data());
          })};
}

}  // namespace

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

double best_rate(int tries, const std::function<double()>& run) {
  double best = 0;
  for (int i = 0; i < tries; ++i) {
    const double start = thread_cpu_seconds();
    const double amount = run();
    best = std::max(best, amount / (thread_cpu_seconds() - start));
  }
  return best;
}

double peak_flops() {
  static const double kPeak = best_rate(50, [] {
    volatile float result = 0;
    return HWY_DYNAMIC_DISPATCH(multiply_add_here)(200'000, result);
  });
  return kPeak;
}

std::vector<KernelSpeed> measure_kernels() {
  return {product_speed(64, 64, 64), product_speed(256, 256, 256),
          product_speed(1024, 1024, 1024), product_speed(64, 784, 128),
          convolution_speed(64)};
}

}  // namespace lamarck
#endif
