#include "lamarck/formula/expression_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"
#include "lamarck/formula/block_kernels.h"

namespace lamarck::formula {
namespace {

constexpr std::uint32_t kInputCount = 3;
constexpr std::uint32_t kParamCount = 4;

double constant_for(Rng& rng) { return rng.uniform(0.3, 2.7); }

// A random expression of all operations, with many shared nodes.
Expression random_plan_expression(Rng& rng, std::size_t inner) {
  ExpressionBuilder builder;
  std::vector<NodeIndex> nodes = {builder.constant(constant_for(rng))};
  for (std::uint32_t i = 0; i < kInputCount; ++i)
    nodes.push_back(builder.input(i));
  for (std::uint32_t i = 0; i < kParamCount; ++i)
    nodes.push_back(builder.param(i));
  NodeIndex last = nodes.back();
  for (std::size_t i = 0; i < inner; ++i) {
    const auto op = static_cast<Op>(
        rng.integer(static_cast<int>(Op::Add), static_cast<int>(Op::Where)));
    const NodeIndex a = rng.chance(0.6) ? last : rng.choice(nodes);
    const NodeIndex b = rng.choice(nodes), c = rng.choice(nodes);
    switch (operation(op).arity) {
      case 1:
        last = builder.apply(op, a);
        break;
      case 2:
        last = builder.apply(op, a, b);
        break;
      default:
        last = builder.apply(op, b, a, c);
    }
    nodes.push_back(last);
  }
  return builder.finish(last);
}

// A value with its derivatives, and the magnitude of the terms they sum, which
// scales the tolerance.
struct Dual {
  double value = 0;
  bool is_uniform = false;
  bool is_steep = false;  // Some slope in it is not finite.
  std::array<double, kParamCount> slope{};
  std::array<double, kParamCount> size{};
};

using Row = std::array<double, kBlockStep>;
Row make_row(double x) {
  Row row;
  row.fill(x);
  return row;
}

Dual make_dual(const Node& node, const std::vector<Dual>& nodes) {
  Dual result{.is_uniform = true};
  std::array<Row, 3> x{}, slopes{};
  const auto arity = static_cast<std::size_t>(operation(node.op).arity);
  for (std::size_t k = 0; k < arity; ++k) {
    x[k] = make_row(nodes[node.arguments[k]].value);
    result.is_uniform &= nodes[node.arguments[k]].is_uniform;
  }
  Row out{};
  const Row one = make_row(1);
  apply_block(node.op, x[0].data(), x[1].data(), x[2].data(), out.data(),
              kBlockStep);
  result.value = out[0];
  if (result.is_uniform) {
    result.value = apply(node.op, x[0][0], x[1][0], x[2][0]);
  }
  backpropagate_block(node.op, x[0].data(), x[1].data(), x[2].data(),
                      make_row(result.value).data(), one.data(),
                      slopes[0].data(), slopes[1].data(), slopes[2].data(),
                      kBlockStep);
  for (std::size_t k = 0; k < arity; ++k) {
    const Dual& argument = nodes[node.arguments[k]];
    result.is_steep |= argument.is_steep || !std::isfinite(slopes[k][0]);
    for (std::size_t p = 0; p < kParamCount; ++p) {
      if (argument.size[p] == 0 || slopes[k][0] == 0) continue;
      result.slope[p] += slopes[k][0] * argument.slope[p];
      result.size[p] += std::abs(slopes[k][0]) * argument.size[p];
    }
  }
  return result;
}

// Forward-mode differentiation; the plan uses reverse mode.
Dual reference(const Expression& expression, const std::vector<double>& inputs,
               const std::vector<double>& params) {
  std::vector<Dual> nodes;
  for (const Node& node : expression.nodes()) {
    if (node.op == Op::Constant) {
      nodes.push_back({node.value, true});
    } else if (node.op == Op::Input) {
      nodes.push_back({inputs[node.index]});
    } else if (node.op == Op::Param) {
      nodes.push_back({params[node.index], true});
      nodes.back().slope[node.index] = nodes.back().size[node.index] = 1;
    } else {
      nodes.push_back(make_dual(node, nodes));
    }
  }
  return nodes.back();
}

struct PlanData {
  PlanData(std::size_t rows, Rng& rng) : columns(kInputCount) {
    for (auto& column : columns) {
      for (std::size_t i = 0; i < rows; ++i) {
        column.push_back(rng.uniform(-2, 3));
      }
      pointers.push_back(column.data());
    }
    for (std::size_t i = 0; i < kParamCount; ++i) {
      params.push_back(rng.uniform(-2, 2));
    }
  }
  Columns view() const { return {pointers, columns[0].size()}; }
  std::vector<double> row(std::size_t i) const {
    return {columns[0][i], columns[1][i], columns[2][i]};
  }

  std::vector<std::vector<double>> columns;
  std::vector<const double*> pointers;
  std::vector<double> params;
};

bool is_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

TEST(ExpressionPlan, MatchesNodewiseEvaluation) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    ExpressionPlan plan(random_plan_expression(rng, 1 + rng.below(40)));
    const PlanData data(1 + rng.below(40), rng);
    const std::size_t rows = data.view().rows;
    std::vector<double> values(rows);
    plan.values(data.view(), data.params, values);
    for (std::size_t i = 0; i < rows; ++i) {
      const Dual expected =
          reference(plan.expression(), data.row(i), data.params);
      ASSERT_TRUE(is_same(values[i], expected.value))
          << "seed " << seed << ": " << values[i] << ", " << expected.value;
    }
  }
}

TEST(ExpressionPlan, DerivativesMatchForwardMode) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    ExpressionPlan plan(random_plan_expression(rng, 1 + rng.below(40)));
    const PlanData data(1 + rng.below(40), rng);
    const std::size_t rows = data.view().rows;
    std::vector<double> values(rows), jacobian(rows * kParamCount, -7);
    plan.values_and_jacobian(data.view(), data.params, values, jacobian);
    for (std::size_t i = 0; i < rows; ++i) {
      const Dual expected =
          reference(plan.expression(), data.row(i), data.params);
      ASSERT_TRUE(is_same(values[i], expected.value)) << "seed " << seed;
      for (std::size_t p = 0; p < plan.expression().param_count(); ++p) {
        if (expected.is_steep || !std::isfinite(expected.size[p])) continue;
        ASSERT_NEAR(jacobian[p * rows + i], expected.slope[p],
                    1e-9 * expected.size[p])
            << "seed " << seed << " param " << p;
      }
    }
  }
}

// x0 * sin(p0 x1 + p1) + x2 ** 2
Expression small_expression() {
  ExpressionBuilder b;
  const NodeIndex angle =
      b.apply(Op::Add, b.apply(Op::Mul, b.param(0), b.input(1)), b.param(1));
  const NodeIndex wave = b.apply(Op::Mul, b.input(0), b.apply(Op::Sin, angle));
  return b.finish(
      b.apply(Op::Add, wave, b.apply(Op::Pow, b.input(2), b.constant(2))));
}

TEST(ExpressionPlan, HandlesAnyNumberOfRows) {
  ExpressionPlan plan(small_expression());
  for (const std::size_t rows : {0, 1, 7, 8, 9, 511, 512, 513, 2000}) {
    Rng rng(rows);
    const PlanData data(rows, rng);
    std::vector<double> values(rows), jacobian(rows * 2);
    plan.values_and_jacobian(data.view(), data.params, values, jacobian);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto x = data.row(i);
      const double angle = data.params[0] * x[1] + data.params[1];
      ASSERT_NEAR(values[i], x[0] * std::sin(angle) + x[2] * x[2], 1e-14);
      ASSERT_NEAR(jacobian[i], x[0] * std::cos(angle) * x[1], 1e-14);
      ASSERT_NEAR(jacobian[rows + i], x[0] * std::cos(angle), 1e-14);
    }
  }
}

TEST(ExpressionPlan, AgreesWithEvaluateRow) {
  Rng rng(1);
  const PlanData data(100, rng);
  const Expression expression = small_expression();
  ExpressionPlan plan(expression);
  std::vector<double> values(100);
  plan.values(data.view(), data.params, values);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(values[i], evaluate_row(expression, data.row(i), data.params),
                1e-14);
  }
}

TEST(ExpressionPlan, EvaluatesSingleLeaves) {
  Rng rng(2);
  const PlanData data(11, rng);
  std::vector<double> values(11), jacobian(11 * 3, -7);

  ExpressionBuilder builder;
  ExpressionPlan input(builder.finish(builder.input(1)));
  input.values(data.view(), data.params, values);
  EXPECT_EQ(values, data.columns[1]);

  ExpressionPlan param(builder.finish(builder.param(2)));
  param.values_and_jacobian(data.view(), data.params, values, jacobian);
  EXPECT_EQ(values, std::vector<double>(11, data.params[2]));
  EXPECT_EQ(jacobian[0], 0);
  EXPECT_EQ(jacobian[32], 1);

  ExpressionPlan constant{Expression()};
  constant.values(data.view(), data.params, values);
  EXPECT_EQ(values, std::vector<double>(11, 0.0));
}

TEST(ExpressionPlan, DerivativesByIneffectiveParamsAreZero) {
  ExpressionBuilder b;  // where(x0 < p0, x1, floor(p2))
  const NodeIndex root =
      b.apply(Op::Where, b.apply(Op::Less, b.input(0), b.param(0)), b.input(1),
              b.apply(Op::Floor, b.param(2)));
  ExpressionPlan plan(b.finish(root));
  Rng rng(3);
  const PlanData data(13, rng);
  std::vector<double> values(13), jacobian(13 * 3, -7);
  plan.values_and_jacobian(data.view(), data.params, values, jacobian);
  EXPECT_EQ(jacobian, std::vector<double>(13 * 3));
}

TEST(ExpressionPlan, UntakenBranchDoesNotSpoilDerivatives) {
  ExpressionBuilder b;  // where(x0 > 0, p0 * sqrt(x0 * p1), p0)
  const NodeIndex root_of =
      b.apply(Op::Sqrt, b.apply(Op::Mul, b.input(0), b.param(1)));
  ExpressionPlan plan(
      b.finish(b.apply(Op::Where, b.apply(Op::Less, b.constant(0), b.input(0)),
                       b.apply(Op::Mul, b.param(0), root_of), b.param(0))));
  const std::vector<double> x = {-1, 0, 4};
  const std::array<const double*, 1> inputs = {x.data()};
  std::vector<double> values(3), jacobian(6);
  plan.values_and_jacobian({inputs, 3}, std::array{3.0, 1.0}, values, jacobian);
  EXPECT_EQ(values, (std::vector<double>{3, 3, 6}));
  EXPECT_EQ(jacobian, (std::vector<double>{1, 1, 2, 0, 0, 3}));
}

TEST(ExpressionPlan, RejectsMissingColumnsAndParams) {
  ExpressionPlan plan(small_expression());
  Rng rng(4);
  const PlanData data(5, rng);
  std::vector<double> values(5), jacobian(3);
  EXPECT_THROW(plan.values({{}, 5}, data.params, values), LogicError);
  EXPECT_THROW(plan.values(data.view(), {}, values), LogicError);
  EXPECT_THROW(plan.values(data.view(), data.params, jacobian), LogicError);
  EXPECT_THROW(
      plan.values_and_jacobian(data.view(), data.params, values, jacobian),
      LogicError);
}

TEST(ExpressionPlan, CanBeMoved) {
  ExpressionPlan first(small_expression());
  ExpressionPlan second(std::move(first));
  first = std::move(second);
  EXPECT_EQ(first.expression(), small_expression());
}

}  // namespace
}  // namespace lamarck::formula
