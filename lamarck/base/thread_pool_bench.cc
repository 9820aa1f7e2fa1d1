// The overhead of parallel_for per index, compared with a plain loop.

#include "lamarck/base/thread_pool.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

namespace lamarck {
namespace {

constexpr std::size_t kCount = 10'000;

double work(std::size_t i, std::size_t size) {
  double sum = 0;
  for (std::size_t k = 0; k < size; ++k) {
    sum += std::sqrt(static_cast<double>(i + k));
  }
  return sum;
}

void BM_PlainLoop(benchmark::State& state) {
  std::vector<double> results(kCount);
  const auto size = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCount; ++i) results[i] = work(i, size);
    benchmark::DoNotOptimize(results.data());
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(kCount));
}
BENCHMARK(BM_PlainLoop)->Arg(1)->Arg(1000)->UseRealTime();

void BM_ParallelFor(benchmark::State& state) {
  ThreadPool pool;
  std::vector<double> results(kCount);
  const auto size = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    pool.parallel_for(kCount,
                      [&](std::size_t i) { results[i] = work(i, size); });
    benchmark::DoNotOptimize(results.data());
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(kCount));
}
BENCHMARK(BM_ParallelFor)->Arg(1)->Arg(1000)->UseRealTime();

}  // namespace
}  // namespace lamarck
