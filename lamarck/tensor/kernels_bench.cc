// How much of the machine the kernels use: bytes and operations a second.

#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "lamarck/tensor/binary_ops.h"
#include "lamarck/tensor/gemm.h"
#include "lamarck/tensor/unary_ops.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

constexpr std::size_t kCount = 4096;  // Fits the first cache.

void set_bytes(benchmark::State& state, std::size_t for_each) {
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(for_each * kCount));
}

void BM_Memcpy(benchmark::State& state) {
  std::vector<float> x(kCount, 0.5f);
  std::vector<float> y(kCount);
  for (auto _ : state) {
    std::memcpy(y.data(), x.data(), kCount * sizeof(float));
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  set_bytes(state, 8);
}
BENCHMARK(BM_Memcpy);

void BM_Unary(benchmark::State& state, const UnaryOp* op) {
  std::vector<float> x(kCount, 0.5f);
  std::vector<float> y(kCount);
  for (auto _ : state) {
    op->value(x.data(), y.data(), kCount, op->default_parameters.data());
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  set_bytes(state, 8);
}

void BM_Binary(benchmark::State& state, const BinaryOp* op) {
  std::vector<float> a(kCount, 0.5f);
  std::vector<float> b(kCount, 2.0f);
  std::vector<float> y(kCount);
  for (auto _ : state) {
    op->value(a.data(), 1, b.data(), 1, y.data(), kCount);
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  set_bytes(state, 12);
}

// Every entry of the lists.
[[maybe_unused]] const bool kRegistered = [] {
  for (const UnaryOp& op : unary_ops()) {
    const std::string name = "BM_Unary/" + std::string(op.name);
    benchmark::RegisterBenchmark(name.c_str(), BM_Unary, &op);
  }
  for (const BinaryOp& op : binary_ops()) {
    const std::string name = "BM_Binary/" + std::string(op.name);
    benchmark::RegisterBenchmark(name.c_str(), BM_Binary, &op);
  }
  return true;
}();

void BM_Sum(benchmark::State& state) {
  const std::vector<float> x(kCount, 0.5f);
  for (auto _ : state) benchmark::DoNotOptimize(sum_of(x.data(), kCount));
  set_bytes(state, 4);
}
BENCHMARK(BM_Sum);

void BM_Gemm(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const auto size = static_cast<std::size_t>(n * n);
  const std::vector<float> a(size, 0.5f);
  const std::vector<float> b(size, 0.25f);
  std::vector<float> c(size);
  for (auto _ : state) {
    gemm({.m = n, .n = n, .k = n}, a.data(), b.data(), c.data());
    benchmark::DoNotOptimize(c.data());
  }
  state.counters["GFLOP/s"] = benchmark::Counter(
      2e-9 * static_cast<double>(n * n * n * state.iterations()),
      benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Gemm)->Arg(4)->Arg(8)->Arg(12)->Arg(16)->Arg(32)->Arg(128)->Arg(
    512);

}  // namespace
}  // namespace lamarck
