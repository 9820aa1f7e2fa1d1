// The speed of compiling and running plans.

#include <benchmark/benchmark.h>

#include "lamarck/graph/graph.h"

namespace lamarck {
namespace {

// The value and gradient of a chain of elementwise operations.
void BM_ElementwiseChain(benchmark::State& state) {
  Graph graph(1);
  Rng rng(1);
  const std::int64_t rows = state.range(0);
  const Var x = graph.input(Tensor::randn({rows, 256}, rng));
  const Var w = graph.parameter({rows, 256}, Init::normal(0, 1), "w");
  const Var loss =
      ((((x * w + 1.0f).relu() - w) * 0.5f).square() + x).leaky_relu().mean();
  for (auto _ : state) {
    w.zero_grad();
    loss.forward();
    benchmark::DoNotOptimize(loss.backward());
  }
  state.SetItemsProcessed(state.iterations() * rows * 256);
}
BENCHMARK(BM_ElementwiseChain)
    ->Arg(16)
    ->Arg(256)
    ->Arg(4096)
    ->Unit(benchmark::kMicrosecond);

// The value alone, where nothing has to be kept for gradients.
void BM_ElementwiseChainValue(benchmark::State& state) {
  Graph graph(1);
  Rng rng(1);
  const std::int64_t rows = state.range(0);
  const Var x = graph.input(Tensor::randn({rows, 256}, rng));
  const Var w = graph.parameter({rows, 256}, Init::normal(0, 1), "w");
  const Var mean =
      ((((x * w + 1.0f).relu() - w) * 0.5f).square() + x).leaky_relu().mean();
  graph.no_grad([&] {
    for (auto _ : state) mean.forward();
  });
  state.SetItemsProcessed(state.iterations() * rows * 256);
}
BENCHMARK(BM_ElementwiseChainValue)
    ->Arg(16)
    ->Arg(256)
    ->Arg(4096)
    ->Unit(benchmark::kMicrosecond);

// One large network, on one thread and on two.
void BM_WideStep(benchmark::State& state) {
  Graph graph(1);
  graph.set_threads(static_cast<std::size_t>(state.range(0)));
  Rng rng(1);
  const Var x = graph.input(Tensor::randn({512, 784}, rng));
  const Var w = graph.parameter({784, 512}, Init::kaiming(), "w");
  const Var u = graph.parameter({512, 512}, Init::kaiming(), "u");
  const Var loss = x.matmul(w).relu().matmul(u).square().mean();
  for (auto _ : state) {
    graph.zero_grad();
    loss.forward();
    benchmark::DoNotOptimize(loss.backward());
  }
}
BENCHMARK(BM_WideStep)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

// Compiling a plan for a network of about 100 nodes, which evolution does for
// every candidate.
void BM_CompilePlan(benchmark::State& state) {
  Graph graph(1);
  Var h = graph.input(Tensor::zeros({4, 8}));
  for (int i = 0; i < 25; ++i) {
    h = (h.matmul(
             graph.parameter({8, 8}, Init::xavier(), "w" + std::to_string(i))) +
         graph.parameter({8}, Init::zeros(), "b" + std::to_string(i)))
            .tanh();
  }
  const Var loss = h.mean();
  for (auto _ : state) {
    graph.node(graph.inputs_of(loss)[0].node_id());
    state.PauseTiming();
    const GraphSnapshot before = graph.snapshot();
    const Var extra = graph.parameter({}, Init::zeros(), "extra");
    graph.remove(extra);
    state.ResumeTiming();
    loss.forward();
    state.PauseTiming();
    graph.restore(before);
    state.ResumeTiming();
  }
}
BENCHMARK(BM_CompilePlan)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lamarck
