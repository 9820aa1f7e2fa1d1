// Measures how long it takes to fit the ten constants of an oscillator's
// equation, and how well. bench/peers/scipy_fit.py does the same with the same
// data.

#include "lamarck/formula/fit.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <span>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck::formula {
namespace {

constexpr std::size_t kRows = 10'000;
const std::vector<double> kTruth = {0.8, 1.3, -0.5, -0.2, -0.5,
                                    0.9, 2.1, 0.4,  -0.7, 0.1};

// p0 sin(p1 x) + p2 v^3 + p3 x^3 + p4 x v + p5 x cos(p6 x) + p7 v exp(p8 x) +
// p9
Expression oscillator() {
  ExpressionBuilder b;
  const NodeIndex x = b.input(0), v = b.input(1);
  const auto mul = [&](NodeIndex a, NodeIndex c) {
    return b.apply(Op::Mul, a, c);
  };
  const auto of_x = [&](Op op, std::uint32_t rate) {
    return b.apply(op, mul(b.param(rate), x));
  };
  const auto cube = [&](NodeIndex a) {
    return b.apply(Op::Pow, a, b.constant(3));
  };
  NodeIndex sum = mul(b.param(0), of_x(Op::Sin, 1));
  for (const NodeIndex term :
       {mul(b.param(2), cube(v)), mul(b.param(3), cube(x)),
        mul(mul(b.param(4), x), v), mul(mul(b.param(5), x), of_x(Op::Cos, 6)),
        mul(mul(b.param(7), v), of_x(Op::Exp, 8)), b.param(9)}) {
    sum = b.apply(Op::Add, sum, term);
  }
  return b.finish(sum);
}

struct Oscillator {
  Oscillator() : plan(oscillator()), x(kRows), v(kRows), y(kRows) {
    for (std::size_t i = 0; i < kRows; ++i) {
      x[i] = 2 * std::sin(0.37 * static_cast<double>(i));
      v[i] = 1.5 * std::cos(0.91 * static_cast<double>(i));
    }
    plan.values(columns, kTruth, y);
  }
  ExpressionPlan plan;
  std::vector<double> x, v, y;
  std::vector<const double*> inputs = {x.data(), v.data()};
  Columns columns{inputs, kRows};
};

void run(benchmark::State& state, const std::vector<double>& first,
         const FitOptions& options) {
  Oscillator data;
  Fit found;
  for (auto _ : state) {
    Rng rng(1);
    found = fit(data.plan, data.columns, data.y, first, options, rng);
  }
  state.counters["nmse"] = found.nmse;
  state.counters["evaluations"] = static_cast<double>(found.evaluations);
}

// One start, from ones, as for scipy's BFGS.
void BM_FitOscillator(benchmark::State& state) {
  run(state, std::vector<double>(10, 1.0), {.starts = 1});
}
BENCHMARK(BM_FitOscillator)->Unit(benchmark::kMillisecond);

// Up to ten data-aware starts.
void BM_FitFromData(benchmark::State& state) { run(state, {}, {}); }
BENCHMARK(BM_FitFromData)->Unit(benchmark::kMillisecond);

void BM_FitOscillatorJacobian(benchmark::State& state) {
  Oscillator data;
  std::vector<double> values(kRows), jacobian(10 * kRows);
  for (auto _ : state) {
    data.plan.values_and_jacobian(data.columns, kTruth, values, jacobian);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_FitOscillatorJacobian)->Unit(benchmark::kMillisecond);

// The work of a search per candidate: a new plan and one start.
void BM_FitCandidate(benchmark::State& state) {
  ExpressionBuilder b;  // p0 tanh(p1 (x - p2)) + p3
  const NodeIndex shifted = b.apply(Op::Sub, b.input(0), b.param(2));
  const NodeIndex wave =
      b.apply(Op::Tanh, b.apply(Op::Mul, b.param(1), shifted));
  const Expression expression = b.finish(
      b.apply(Op::Add, b.apply(Op::Mul, b.param(0), wave), b.param(3)));
  Oscillator data;
  const Columns columns{data.inputs, 256};
  const std::span<const double> target = std::span(data.y).first(256);
  const std::vector<double> first = {1, 2, 0.5, 0};
  for (auto _ : state) {
    ExpressionPlan plan(expression);
    Rng rng(1);
    benchmark::DoNotOptimize(
        fit(plan, columns, target, first, {.starts = 1}, rng));
  }
}
BENCHMARK(BM_FitCandidate)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lamarck::formula
