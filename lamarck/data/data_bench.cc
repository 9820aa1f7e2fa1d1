// Measures the path from a file to batches, which training waits for.

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "lamarck/base/rng.h"
#include "lamarck/data/csv.h"
#include "lamarck/data/data_loader.h"

namespace lamarck::data {
namespace {

// Ten columns of numbers with six digits, and one categorical column.
std::string numbers_as_csv(std::size_t rows) {
  Rng rng(1);
  std::string text = "a,b,c,d,e,f,g,h,i,j,kind\n";
  for (std::size_t row = 0; row < rows; ++row) {
    for (int i = 0; i < 10; ++i) {
      text += std::to_string(rng.uniform(-100, 100)) + ",";
    }
    text += "kind" + std::to_string(rng.below(5)) + "\n";
  }
  return text;
}

void BM_ReadCsv(benchmark::State& state) {
  const std::string text = numbers_as_csv(20'000);
  for (auto _ : state) benchmark::DoNotOptimize(parse_csv(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) *
                          static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(BM_ReadCsv)->Unit(benchmark::kMillisecond);

// One batch of 64 x 784 drawn from 10,000 shuffled rows.
void BM_DataLoaderBatch(benchmark::State& state) {
  Rng rng(1);
  const Dataset images(Tensor::rand({10'000, 784}, rng),
                       Tensor::zeros({10'000, 10}));
  DataLoader loader(
      images,
      {.batch_size = 64, .shuffle = state.range(0) != 0, .drop_last = true});
  auto batch = loader.begin();
  for (auto _ : state) {
    if (batch == loader.end()) batch = loader.begin();
    benchmark::DoNotOptimize(batch->inputs.begin_of_data());
    ++batch;
  }
}
BENCHMARK(BM_DataLoaderBatch)->ArgName("shuffle")->Arg(0)->Arg(1);

// Copies the same number of bytes at once: a lower bound for any loader.
void BM_CopyBatch(benchmark::State& state) {
  const Tensor from = Tensor::zeros({64, 794});
  Tensor to = Tensor::zeros({64, 794});
  for (auto _ : state) {
    std::memcpy(to.begin_of_data(), from.begin_of_data(),
                from.data().size_bytes());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_CopyBatch);

}  // namespace
}  // namespace lamarck::data
