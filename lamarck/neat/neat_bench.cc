// Speed of NEAT and its environments. An item is one evaluation of a genome,
// including breeding, or one step of an environment.

#include <benchmark/benchmark.h>

#include "lamarck/neat/neat_episodes.h"
#include "lamarck/neat/neat_pole_tasks.h"
#include "lamarck/neat/neat_search.h"

namespace lamarck::neat {
namespace {

using environment::CartPole;

NeatOutcome solve(const NeatBenchmark& benchmark, std::uint64_t seed) {
  Population population(benchmark.task.inputs, benchmark.task.outputs,
                        benchmark.options, seed);
  return search(population, benchmark.task, {});
}

// Complete runs from minimal genomes to a solution.
void solve_seeds(benchmark::State& state, const NeatBenchmark& benchmark) {
  std::int64_t evaluations = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    evaluations += solve(benchmark, 1 + seed++ % 20).evaluations;
  }
  state.SetItemsProcessed(evaluations);
}

void BM_NeatXor(benchmark::State& state) {
  solve_seeds(state, xor_benchmark());
}
BENCHMARK(BM_NeatXor)->Unit(benchmark::kMillisecond);

void BM_NeatDoublePole(benchmark::State& state) {
  solve_seeds(state, double_pole_benchmark());
}
BENCHMARK(BM_NeatDoublePole)->Unit(benchmark::kMillisecond);

std::vector<CartPole::State> cart_pole_starts() {
  std::vector<CartPole::State> starts(512);
  Rng rng(7);
  for (CartPole::State& start : starts) {
    CartPole pole;
    pole.reset(rng);
    start = pole.state();
  }
  return starts;
}

// The policy that NEAT finds with seed 1, from 512 starts in parallel.
void BM_CartPoleSteps(benchmark::State& state) {
  FlatNetwork policy(solve(cart_pole_benchmark(), 1).best);
  const std::vector<CartPole::State> starts = cart_pole_starts();
  std::int64_t steps = 0;
  for (auto _ : state) {
    NeatEpisodes<environment::CartPoleLanes>(policy, CartPole::kMaxSteps)
        .play(starts, [&](int taken, bool /*failed*/) {
          steps += taken;
          return true;
        });
  }
  state.SetItemsProcessed(steps);
}
BENCHMARK(BM_CartPoleSteps)->Unit(benchmark::kMillisecond);

// The same policy and starts, one episode after the other.
void BM_CartPoleStepsAlone(benchmark::State& state) {
  FlatNetwork policy(solve(cart_pole_benchmark(), 1).best);
  const std::vector<CartPole::State> starts = cart_pole_starts();
  CartPole pole;
  std::int64_t steps = 0;
  for (auto _ : state) {
    for (const CartPole::State& start : starts) {
      pole.set_state(start);
      policy.reset();
      while (!pole.is_done()) {
        CartPole::State inputs = pole.state();
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          inputs[i] *= environment::kCartPoleScale[i];
        }
        pole.step(policy.step(inputs)[0] > 0.5 ? 1 : 0);
      }
      steps += pole.steps();
    }
  }
  state.SetItemsProcessed(steps);
}
BENCHMARK(BM_CartPoleStepsAlone)->Unit(benchmark::kMillisecond);

// 625 starts, as many as in the generalization test; an item is a step of
// 0.02 s.
void BM_DoublePoleSteps(benchmark::State& state) {
  FlatNetwork policy(solve(double_pole_no_velocity_benchmark(), 1).best);
  std::int64_t steps = 0;
  std::vector<environment::DoublePole::State> starts(625,
                                                     {0, 0, 0.02, 0, 0, 0});
  for (auto _ : state) {
    NeatEpisodes<environment::DoublePoleLanes>(policy, 1000)
        .play(starts, [&](int taken, bool /*failed*/) {
          steps += taken;
          return true;
        });
  }
  state.SetItemsProcessed(steps);
}
BENCHMARK(BM_DoublePoleSteps)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lamarck::neat
