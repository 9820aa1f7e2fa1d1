// Measures a whole training step: zero_grad, forward, backward, update.

#include <benchmark/benchmark.h>

#include "lamarck/graph/operation_table.h"
#include "lamarck/optim/optimizer.h"

namespace lamarck::optim {
namespace {

Tensor one_hot(std::int64_t rows, std::int64_t classes, Rng& rng) {
  Tensor labels = Tensor::zeros({rows, classes});
  for (std::int64_t i = 0; i < rows; ++i) {
    labels.at({i, rng.integer(0, classes - 1)}) = 1;
  }
  return labels;
}

// 2-8-1 with tanh, batch 4: the size that evolution trains by the thousand.
void BM_TinyAdamStep(benchmark::State& state) {
  Graph graph(1);
  const Var x = graph.input(Tensor::rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  const Var y = graph.input(Tensor::rows({{0}, {1}, {1}, {0}}));
  const Var w = graph.parameter({2, 8}, Init::xavier(), "w");
  const Var b = graph.parameter({8}, Init::zeros(), "b");
  const Var v = graph.parameter({8, 1}, Init::xavier(), "v");
  const Var c = graph.parameter({1}, Init::zeros(), "c");
  const Var loss = ((x.matmul(w) + b).tanh().matmul(v) + c).mse(y);
  Adam adam(graph.parameters(), 1e-3f);
  for (auto _ : state) benchmark::DoNotOptimize(adam.minimize(loss));
}
BENCHMARK(BM_TinyAdamStep)->MeasureProcessCPUTime();

// 784-128-10 with relu and cross entropy, batch 64: a multilayer perceptron for
// MNIST.
void BM_DigitsAdamStep(benchmark::State& state) {
  Graph graph(1);
  Rng rng(1);
  const Var x = graph.input(Tensor::rand({64, 784}, rng));
  const Var y = graph.input(one_hot(64, 10, rng));
  const Var w = graph.parameter({784, 128}, Init::kaiming(), "w");
  const Var b = graph.parameter({128}, Init::zeros(), "b");
  const Var v = graph.parameter({128, 10}, Init::kaiming(), "v");
  const Var c = graph.parameter({10}, Init::zeros(), "c");
  const Var loss = ((x.matmul(w) + b).relu().matmul(v) + c).cross_entropy(y);
  Adam adam(graph.parameters(), 1e-3f);
  for (auto _ : state) benchmark::DoNotOptimize(adam.minimize(loss));
}
BENCHMARK(BM_DigitsAdamStep)
    ->Unit(benchmark::kMicrosecond)
    ->MeasureProcessCPUTime();

// An LSTM with 32 units over 16 steps of 32 features, batch 16, followed by a
// linear layer with cross entropy on its last state.
void BM_LstmAdamStep(benchmark::State& state) {
  constexpr std::int64_t kSize = 32;
  Graph graph(1);
  Rng rng(1);
  const Var x = graph.input(Tensor::rand({16, 16, kSize}, rng));
  const Var y = graph.input(one_hot(16, 10, rng));
  const Init init = Init::uniform(-0.17f, 0.17f);
  const Var start = graph.zeros({1, kSize});
  const Var inputs[] = {x,
                        graph.parameter({kSize, 4 * kSize}, init, "w"),
                        graph.parameter({kSize, 4 * kSize}, init, "u"),
                        graph.parameter({4 * kSize}, init, "b"),
                        start,
                        start};
  const Var states = apply_operation(operation_named("lstm"), inputs, {});
  const Var last = apply_operation(operation_named("last"), {&states, 1}, {});
  const Var v = graph.parameter({kSize, 10}, init, "v");
  const Var c = graph.parameter({10}, init, "c");
  const Var logits = last.slice(1, 0, kSize).matmul(v) + c;
  const Var loss = logits.cross_entropy(y);
  Adam adam(graph.parameters(), 1e-3f);
  for (auto _ : state) benchmark::DoNotOptimize(adam.minimize(loss));
}
BENCHMARK(BM_LstmAdamStep)
    ->Unit(benchmark::kMicrosecond)
    ->MeasureProcessCPUTime();

// Two convolutions to 8 and 16 channels, each with relu and pooling, on images
// of 28 x 28, batch 64: a small convolutional network for MNIST.
void BM_CnnAdamStep(benchmark::State& state) {
  Graph graph(1);
  Rng rng(1);
  const Var x = graph.input(Tensor::rand({64, 1, 28, 28}, rng));
  const Var y = graph.input(one_hot(64, 10, rng));
  const Var u = graph.parameter({8, 1, 3, 3}, Init::kaiming(), "u");
  const Var a = graph.parameter({8}, Init::zeros(), "a");
  const Var v = graph.parameter({16, 8, 3, 3}, Init::kaiming(), "v");
  const Var b = graph.parameter({16}, Init::zeros(), "b");
  const Var w = graph.parameter({784, 10}, Init::kaiming(), "w");
  const Var c = graph.parameter({10}, Init::zeros(), "c");
  const Var first = x.conv2d(u, a, {.padding = 1}).relu().max_pool2d(2);
  const Var second = first.conv2d(v, b, {.padding = 1}).relu().max_pool2d(2);
  const Var loss = (second.flatten().matmul(w) + c).cross_entropy(y);
  Adam adam(graph.parameters(), 1e-3f);
  for (auto _ : state) benchmark::DoNotOptimize(adam.minimize(loss));
}
BENCHMARK(BM_CnnAdamStep)
    ->Unit(benchmark::kMicrosecond)
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace lamarck::optim
