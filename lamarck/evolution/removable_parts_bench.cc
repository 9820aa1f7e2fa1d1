// Benchmarks the search for removable edges and nodes in networks with 64
// inputs, by the number of hidden nodes. The time per edge should stay about
// constant.

#include <benchmark/benchmark.h>

#include <utility>
#include <vector>

#include "lamarck/evolution/mutation.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {
namespace {

constexpr std::size_t kRemovalBenchInputs = 64;

// Every hidden node splits a random edge, so the nodes form chains.
Network make_split_network(std::size_t hidden) {
  Rng rng(1);
  Network network = minimal_network(kRemovalBenchInputs, 4, 1);
  for (std::size_t i = 0; i < hidden; ++i) {
    const auto edges = network.forward_edges();
    const auto [from, to] = rng.choice(edges);
    const UnitId id = network.add_hidden({});
    network.add_edge(from, id);
    network.add_edge(id, to);
    network.remove_edge(from, to, false);
  }
  return network;
}

// Every hidden node reads the one before it and feeds the output, so removing
// one removes all nodes behind it.
Network make_ladder_network(std::size_t hidden) {
  Network network = minimal_network(kRemovalBenchInputs, 1, 1);
  UnitId last = network.nodes_of(Role::Input)[0];
  const UnitId output = network.nodes_of(Role::Output)[0];
  for (std::size_t i = 0; i < hidden; ++i) {
    const UnitId id = network.add_hidden({});
    network.add_edge(last, id);
    network.add_edge(id, output);
    last = id;
  }
  return network;
}

// Every hidden node reads all inputs and hidden nodes before it, and every
// output reads all of them.
Network make_dense_network(std::size_t hidden) {
  Network start = minimal_network(kRemovalBenchInputs, 4, 1);
  for (std::size_t i = 0; i < hidden; ++i) start.add_hidden({});
  NetworkParts parts{.nodes = {start.nodes().begin(), start.nodes().end()},
                     .edges = {start.edges().begin(), start.edges().end()},
                     .parameters = start.parameters(),
                     .next_id = start.next_id()};
  std::size_t weights = start.parameters().size();
  for (std::size_t to = 0; to < parts.nodes.size(); ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      const NetworkNode& source = parts.nodes[from];
      const NetworkNode& target = parts.nodes[to];
      if (source.role != Role::Hidden && target.role != Role::Hidden) continue;
      if (target.role == Role::Input) continue;
      parts.edges.push_back(
          {.from = source.id, .to = target.id, .begin = weights++});
    }
  }
  for (auto* each : {&parts.parameters.values, &parts.parameters.means,
                     &parts.parameters.squares, &parts.parameters.ages}) {
    each->resize(weights);
  }
  return Network(std::move(parts));
}

void measure_removal(benchmark::State& state, const Network& network,
                     const char* mutation) {
  const MutationLimits limits{.keeps_outputs = true, .score_units = nullptr};
  const Mutation* const removal = find_mutation(mutation);
  for (auto _ : state) {
    benchmark::DoNotOptimize(removal->is_feasible(network, limits));
  }
  const auto edges = static_cast<std::int64_t>(network.edges().size());
  state.counters["per_edge"] = benchmark::Counter(
      static_cast<double>(state.iterations() * edges),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.SetComplexityN(edges);
}

void BM_RemovableEdgesOfSplits(benchmark::State& state) {
  const auto hidden = static_cast<std::size_t>(state.range(0));
  measure_removal(state, make_split_network(hidden), "remove_edge");
}
void BM_RemovableNodesOfSplits(benchmark::State& state) {
  const auto hidden = static_cast<std::size_t>(state.range(0));
  measure_removal(state, make_split_network(hidden), "remove_node");
}
void BM_RemovableEdgesOfLadder(benchmark::State& state) {
  const auto hidden = static_cast<std::size_t>(state.range(0));
  measure_removal(state, make_ladder_network(hidden), "remove_edge");
}
void BM_RemovableNodesOfLadder(benchmark::State& state) {
  const auto hidden = static_cast<std::size_t>(state.range(0));
  measure_removal(state, make_ladder_network(hidden), "remove_node");
}
void BM_RemovableEdgesOfDense(benchmark::State& state) {
  const auto hidden = static_cast<std::size_t>(state.range(0));
  measure_removal(state, make_dense_network(hidden), "remove_edge");
}
void BM_RemovableNodesOfDense(benchmark::State& state) {
  const auto hidden = static_cast<std::size_t>(state.range(0));
  measure_removal(state, make_dense_network(hidden), "remove_node");
}

void over_hidden(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t hidden : {100, 200, 400, 800, 1600}) {
    benchmark->Arg(hidden);
  }
  benchmark->Unit(benchmark::kMicrosecond)->Complexity();
}

BENCHMARK(BM_RemovableEdgesOfSplits)->Apply(over_hidden);
BENCHMARK(BM_RemovableNodesOfSplits)->Apply(over_hidden);
BENCHMARK(BM_RemovableEdgesOfLadder)->Apply(over_hidden);
BENCHMARK(BM_RemovableNodesOfLadder)->Apply(over_hidden);
BENCHMARK(BM_RemovableEdgesOfDense)->Apply(over_hidden);
BENCHMARK(BM_RemovableNodesOfDense)->Apply(over_hidden);

}  // namespace
}  // namespace lamarck::evolution
