// How the cost of a graph grows with its number of nodes. The time per node
// should stay about the same from one size to the next.

#include <benchmark/benchmark.h>

#include <vector>

#include "lamarck/graph/graph.h"

namespace lamarck {
namespace {

// A chain in which each node reads the previous one.
Var make_chain(const Graph& graph, std::int64_t count) {
  Var last = graph.parameter({}, Init::constant(0.5f), "x");
  for (std::int64_t i = 1; i < count; ++i) last = last.tanh();
  return last;
}

// The same, but Vars refer to all nodes, so a plan keeps every value.
std::vector<Var> make_kept_chain(const Graph& graph, std::int64_t count) {
  std::vector<Var> nodes = {graph.parameter({}, Init::constant(0.5f), "x")};
  for (std::int64_t i = 1; i < count; ++i) nodes.push_back(nodes.back().tanh());
  return nodes;
}

// One node that reads all the others.
Var make_star(const Graph& graph, std::int64_t count) {
  const Var x = graph.parameter({}, Init::constant(0.5f), "x");
  std::vector<Var> parts;
  for (std::int64_t i = 2; i < count; ++i) parts.push_back(x.tanh());
  return total(parts);
}

void report_time_per_node(benchmark::State& state) {
  state.counters["per_node"] = benchmark::Counter(
      static_cast<double>(state.iterations() * state.range(0)),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.SetComplexityN(state.range(0));
}

// Measures the first value and gradient of a new graph, which includes
// compiling its plan.
template <class Make>
void measure_first_run(benchmark::State& state, Make make) {
  for (auto _ : state) {
    state.PauseTiming();
    {
      const Graph graph(1);
      const auto made = make(graph, state.range(0));
      state.ResumeTiming();
      benchmark::DoNotOptimize(made.backward());
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  report_time_per_node(state);
}

void BM_FirstRunOfChain(benchmark::State& state) {
  measure_first_run(state, make_chain);
}

void BM_FirstRunOfKeptChain(benchmark::State& state) {
  std::vector<Var> kept;
  measure_first_run(state, [&](const Graph& graph, std::int64_t count) {
    kept = make_kept_chain(graph, count);
    return kept.back();
  });
}

void BM_FirstRunOfStar(benchmark::State& state) {
  measure_first_run(state, make_star);
}

// The first edit of a graph sorts all its nodes; later edits do not.
void prepare_edits(const Graph& graph) {
  const Var x = graph.zeros({});
  const Var y = graph.zeros({});
  graph.add_edge(y, total(std::vector<Var>{x}));
}

// Adds an edge from the first node of a chain to a node after its last, and
// removes it again.
void BM_AddEdge(benchmark::State& state) {
  const Graph graph(1);
  const Var sum = total(std::vector<Var>{make_chain(graph, state.range(0))});
  const Var first = graph.named("x");
  prepare_edits(graph);
  for (auto _ : state) {
    graph.add_edge(first, sum);
    graph.remove_edge(first, sum);
  }
  state.SetComplexityN(state.range(0));
}

// Inserts new nodes between two neighbors of a chain. Each is newer than the
// node that will read it, so its rank has to change.
void BM_InsertNode(benchmark::State& state) {
  const Graph graph(1);
  std::vector<Var> chain = {graph.zeros({})};
  for (std::int64_t i = 1; i < state.range(0); ++i) {
    chain.push_back(total(std::vector<Var>{chain.back()}));
  }
  prepare_edits(graph);
  Rng rng(1);
  for (auto _ : state) {
    const Var& reader = chain[1 + rng.below(chain.size() - 1)];
    const Var before = graph.inputs_of(reader)[0];
    graph.add_edge(before.tanh(), reader);
    graph.remove_edge(before, reader);
  }
  state.SetComplexityN(state.range(0));
}

void over_runs(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t nodes : {10'000, 20'000, 40'000, 80'000}) {
    benchmark->Arg(nodes);
  }
  benchmark->Unit(benchmark::kMillisecond)->Complexity();
}

void over_edits(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t nodes : {2'000, 8'000, 32'000, 128'000}) {
    benchmark->Arg(nodes);
  }
  benchmark->Unit(benchmark::kMicrosecond)->Complexity();
}

BENCHMARK(BM_FirstRunOfChain)->Apply(over_runs);
BENCHMARK(BM_FirstRunOfKeptChain)->Apply(over_runs);
BENCHMARK(BM_FirstRunOfStar)->Apply(over_runs);
BENCHMARK(BM_AddEdge)->Apply(over_edits);
// A fixed number of iterations, because the chain grows.
BENCHMARK(BM_InsertNode)->Apply(over_edits)->Iterations(100);

}  // namespace
}  // namespace lamarck
