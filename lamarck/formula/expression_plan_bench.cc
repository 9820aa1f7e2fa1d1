// Measures the evaluation of expressions in node-rows per second. Nodes are
// counted as in the written formula, including leaves.

#include "lamarck/formula/expression_plan.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck::formula {
namespace {

constexpr std::size_t kRows = 10'000;
const std::vector<double> kParams = {1.1, 0.7, -0.4, 0.3, 1.6};

// 31 nodes: p0 sin(p1 x + y) + p2 cos(x y) (x - p3) + (x x + p4) (y + x) - y
Expression wave_expression() {
  ExpressionBuilder b;
  const auto mul = [&](NodeIndex a, NodeIndex c) {
    return b.apply(Op::Mul, a, c);
  };
  const auto add = [&](NodeIndex a, NodeIndex c) {
    return b.apply(Op::Add, a, c);
  };
  const NodeIndex x = b.input(0), y = b.input(1);
  const NodeIndex sine =
      mul(b.param(0), b.apply(Op::Sin, add(mul(b.param(1), x), y)));
  const NodeIndex cosine = mul(mul(b.param(2), b.apply(Op::Cos, mul(x, y))),
                               b.apply(Op::Sub, x, b.param(3)));
  const NodeIndex rest =
      b.apply(Op::Sub, mul(add(mul(x, x), b.param(4)), add(y, x)), y);
  return b.finish(add(add(sine, cosine), rest));
}

struct Data {
  Data() : x(kRows), y(kRows), values(kRows), jacobian(kRows * kParams.size()) {
    Rng rng(1);
    for (std::size_t i = 0; i < kRows; ++i) {
      x[i] = rng.uniform(-3, 3);
      y[i] = rng.uniform(-3, 3);
    }
  }
  std::vector<double> x, y, values, jacobian;
  std::vector<const double*> inputs = {x.data(), y.data()};
  Columns columns{inputs, kRows};
};

void set_rate(benchmark::State& state, std::size_t nodes) {
  state.counters["node_rows"] =
      benchmark::Counter(static_cast<double>(nodes * kRows),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void BM_FormulaValues(benchmark::State& state) {
  Data data;
  ExpressionPlan plan(wave_expression());
  for (auto _ : state) {
    plan.values(data.columns, kParams, data.values);
    benchmark::ClobberMemory();
  }
  set_rate(state, plan.expression().size());
}
BENCHMARK(BM_FormulaValues)->Unit(benchmark::kMicrosecond);

void BM_FormulaJacobian(benchmark::State& state) {
  Data data;
  ExpressionPlan plan(wave_expression());
  for (auto _ : state) {
    plan.values_and_jacobian(data.columns, kParams, data.values, data.jacobian);
    benchmark::ClobberMemory();
  }
  set_rate(state, plan.expression().size());
}
BENCHMARK(BM_FormulaJacobian)->Unit(benchmark::kMicrosecond);

// The same expression as compiled C++, without a vectorized sin.
void BM_FormulaByHand(benchmark::State& state) {
  Data data;
  const auto& p = kParams;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kRows; ++i) {
      const double x = data.x[i], y = data.y[i];
      data.values[i] = p[0] * std::sin(p[1] * x + y) +
                       p[2] * std::cos(x * y) * (x - p[3]) +
                       ((x * x + p[4]) * (y + x) - y);
    }
    benchmark::ClobberMemory();
  }
  set_rate(state, wave_expression().size());
}
BENCHMARK(BM_FormulaByHand)->Unit(benchmark::kMicrosecond);

// Each operation alone.
void add_operation(Op op) {
  const auto run = [op](benchmark::State& state) {
    ExpressionBuilder b;
    const NodeIndex x = b.apply(Op::Abs, b.input(0));
    const NodeIndex y = b.input(1);
    const int arity = operation(op).arity;
    ExpressionPlan plan(b.finish(arity == 1   ? b.apply(op, x)
                                 : arity == 2 ? b.apply(op, x, y)
                                              : b.apply(op, y, x, y)));
    Data data;
    for (auto _ : state) {
      plan.values(data.columns, {}, data.values);
      benchmark::ClobberMemory();
    }
    set_rate(state, 1);
  };
  benchmark::RegisterBenchmark(
      ("BM_FormulaOperation/" + std::string(operation(op).name)).c_str(), run)
      ->Unit(benchmark::kMicrosecond);
}

const bool kOperationsAreAdded = [] {
  for (const Operation& entry : operations()) {
    if (entry.arity > 0) add_operation(entry.op);
  }
  return true;
}();

}  // namespace
}  // namespace lamarck::formula
