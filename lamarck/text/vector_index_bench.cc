#include "lamarck/text/vector_index.h"

#include <benchmark/benchmark.h>

#include <string>

#include "lamarck/base/rng.h"
#include "lamarck/tensor/vector_math.h"
#include "lamarck/text/internal/unit_length.h"

namespace lamarck::text {
namespace {

constexpr std::size_t kSize = 384;

std::vector<float> bench_vector(Rng& rng) {
  std::vector<float> vector(kSize);
  for (float& x : vector) x = static_cast<float>(rng.normal());
  make_unit_length(vector);
  return vector;
}

void search_bench(benchmark::State& state, VectorFormat format) {
  Rng rng(1);
  VectorIndex index(kSize, format);
  const auto count = static_cast<std::size_t>(state.range(0));
  for (std::size_t i = 0; i < count; ++i) {
    index.insert(std::to_string(i), bench_vector(rng));
  }
  const std::vector<float> query = bench_vector(rng);
  for (auto _ : state) benchmark::DoNotOptimize(index.search(query, 5));
}

void BM_VectorSearch(benchmark::State& state) {
  search_bench(state, VectorFormat::Float32);
}
void BM_VectorSearchInt8(benchmark::State& state) {
  search_bench(state, VectorFormat::Int8);
}

// Reads as many vectors once: the limit for an exact search.
void BM_VectorRead(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const std::vector<float> vectors(count * kSize, 0.5f);
  for (auto _ : state) {
    float sum = 0;
    constexpr std::size_t kPart = 512;  // sum_of sums longer arrays pairwise.
    for (std::size_t i = 0; i < vectors.size(); i += kPart) {
      sum += sum_of(vectors.data() + i, kPart);
    }
    benchmark::DoNotOptimize(sum);
  }
}

BENCHMARK(BM_VectorSearch)->Arg(10240)->Arg(102400);
BENCHMARK(BM_VectorSearchInt8)->Arg(10240)->Arg(102400);
BENCHMARK(BM_VectorRead)->Arg(10240)->Arg(102400);

}  // namespace
}  // namespace lamarck::text
