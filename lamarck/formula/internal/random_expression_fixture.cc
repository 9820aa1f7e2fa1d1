#include "lamarck/formula/internal/random_expression_fixture.h"

#include <array>
#include <limits>
#include <numbers>

namespace lamarck::formula {
namespace {

double random_constant(Rng& rng, bool is_wild) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array kTame = {0.0, 1.0, 2.0, 3.0, 0.5, -1.0, -2.0, 4.0};
  const std::array wild = {kInf,  -kInf,  kNaN, -0.0,
                           1e300, 5e-324, 0.1,  std::numbers::pi};
  if (is_wild && rng.chance(0.3)) return wild[rng.below(wild.size())];
  if (rng.chance(0.5)) return kTame[rng.below(kTame.size())];
  return rng.normal(0, is_wild ? 1e6 : 2);
}

NodeIndex random_leaf(ExpressionBuilder& builder, Rng& rng,
                      const RandomExpressionOptions& options) {
  const double which = rng.uniform();
  if (which < 0.4 && options.inputs > 0) {
    return builder.input(static_cast<std::uint32_t>(rng.below(options.inputs)));
  }
  if (which < 0.6 && options.params > 0) {
    return builder.param(static_cast<std::uint32_t>(rng.below(options.params)));
  }
  return builder.constant(random_constant(rng, options.is_wild));
}

// Draws arithmetic operations more often than others.
Op random_op(Rng& rng) {
  constexpr auto kFirst = static_cast<std::uint64_t>(Op::Add);
  if (rng.chance(0.4)) return static_cast<Op>(kFirst + rng.below(5));
  return static_cast<Op>(kFirst + rng.below(kOpCount - kFirst));
}

}  // namespace

Expression random_expression(Rng& rng, const RandomExpressionOptions& options) {
  ExpressionBuilder builder;
  std::vector<NodeIndex> made = {random_leaf(builder, rng, options)};
  const std::size_t count = rng.below(options.operations + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto any = [&] {
      if (rng.chance(0.4)) return random_leaf(builder, rng, options);
      return rng.chance(0.6) ? made.back() : made[rng.below(made.size())];
    };
    const Op op = random_op(rng);
    // Always three draws, so that the arity does not shift the random sequence.
    const NodeIndex a = any();
    const NodeIndex b = any();
    const NodeIndex c = any();
    switch (operation(op).arity) {
      case 1:
        made.push_back(builder.apply(op, a));
        break;
      case 2:
        made.push_back(builder.apply(op, a, b));
        break;
      default:
        made.push_back(builder.apply(op, a, b, c));
        break;
    }
  }
  return builder.finish(made.back());
}

double scalar_value(const Expression& expression,
                    std::span<const double> inputs,
                    std::span<const double> params) {
  std::vector<double> values;
  for (const Node& node : expression.nodes()) {
    std::array<double, 3> a{};
    const auto arity = static_cast<std::size_t>(operation(node.op).arity);
    for (std::size_t i = 0; i < arity; ++i) a[i] = values[node.arguments[i]];
    if (node.op == Op::Constant) {
      values.push_back(node.value);
    } else if (node.op == Op::Input) {
      values.push_back(inputs[node.index]);
    } else if (node.op == Op::Param) {
      values.push_back(params[node.index]);
    } else {
      values.push_back(apply(node.op, a[0], a[1], a[2]));
    }
  }
  return values.back();
}

}  // namespace lamarck::formula
