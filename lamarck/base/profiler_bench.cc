// The cost of sending an event to no listener and to one.

#include "lamarck/base/profiler.h"

#include <benchmark/benchmark.h>

namespace lamarck {
namespace {

void BM_SendToNobody(benchmark::State& state) {
  const Profiler<int> profiler;
  for (auto _ : state) profiler.send(1);
}
BENCHMARK(BM_SendToNobody);

void BM_SendToOne(benchmark::State& state) {
  Profiler<int> profiler;
  int sum = 0;
  profiler.use_profiler([&](int event) { sum += event; });
  for (auto _ : state) profiler.send(1);
  benchmark::DoNotOptimize(sum);
}
BENCHMARK(BM_SendToOne);

}  // namespace
}  // namespace lamarck
