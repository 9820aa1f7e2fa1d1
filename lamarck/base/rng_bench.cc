// Compares Rng with the standard library in one run; read the ratios.

#include "lamarck/base/rng.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <vector>

namespace lamarck {
namespace {

void BM_RngBits(benchmark::State& state) {
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(rng.bits());
}
BENCHMARK(BM_RngBits);

void BM_StdMt19937(benchmark::State& state) {
  std::mt19937_64 engine(1);
  for (auto _ : state) benchmark::DoNotOptimize(engine());
}
BENCHMARK(BM_StdMt19937);

void BM_RngNormal(benchmark::State& state) {
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(rng.normal());
}
BENCHMARK(BM_RngNormal);

void BM_StdNormal(benchmark::State& state) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  for (auto _ : state) benchmark::DoNotOptimize(normal(engine));
}
BENCHMARK(BM_StdNormal);

void BM_RngBelow(benchmark::State& state) {
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(rng.below(1000));
}
BENCHMARK(BM_RngBelow);

void BM_StdUniformInt(benchmark::State& state) {
  std::mt19937_64 engine(1);
  std::uniform_int_distribution<std::uint64_t> below(0, 999);
  for (auto _ : state) benchmark::DoNotOptimize(below(engine));
}
BENCHMARK(BM_StdUniformInt);

void BM_RngShuffle(benchmark::State& state) {
  Rng rng(1);
  std::vector<int> items(1000);
  for (auto _ : state) rng.shuffle(items);
}
BENCHMARK(BM_RngShuffle);

void BM_StdShuffle(benchmark::State& state) {
  std::mt19937_64 engine(1);
  std::vector<int> items(1000);
  for (auto _ : state) std::shuffle(items.begin(), items.end(), engine);
}
BENCHMARK(BM_StdShuffle);

void BM_RngSplit(benchmark::State& state) {
  const Rng rng(1);
  std::uint64_t key = 0;
  for (auto _ : state) benchmark::DoNotOptimize(rng.split(++key));
}
BENCHMARK(BM_RngSplit);

}  // namespace
}  // namespace lamarck
