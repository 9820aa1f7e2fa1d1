#include "lamarck/formula/simplify.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "lamarck/formula/formula.h"
#include "lamarck/formula/internal/random_expression_fixture.h"

namespace lamarck::formula {
namespace {

std::string simple(const std::string& text) {
  auto formula = parse_infix(text, {"x", "y", "z"});
  if (!formula) return formula.error().message();
  formula->body = simplify(formula->body);
  return to_infix(*formula);
}

std::uint64_t hash_of(const std::string& text) {
  return canonical_hash(parse_infix(text, {"x", "y"})->body);
}

TEST(Simplify, DropsNeutralOperations) {
  EXPECT_EQ(simple("x + 0.0"), "x");
  EXPECT_EQ(simple("1.0*x"), "x");
  EXPECT_EQ(simple("x/1.0"), "x");
  EXPECT_EQ(simple("--x"), "x");
  EXPECT_EQ(simple("x - x"), "0");
  EXPECT_EQ(simple("x/x"), "1");
  EXPECT_EQ(simple("0.0*x + y"), "y");
  EXPECT_EQ(simple("x**1.0"), "x");
  EXPECT_EQ(simple("log(exp(x))"), "x");
  EXPECT_EQ(simple("exp(log(x))"), "x");
  EXPECT_EQ(simple("abs(abs(-x))"), "abs(x)");
  EXPECT_EQ(simple("where(1 < 2.5, x, y)"), "x");
}

TEST(Simplify, FoldsConstants) {
  EXPECT_EQ(simple("2.0*3.0*x"), "6*x");
  EXPECT_EQ(simple("sqrt(4.0) + x"), "x + 2");
  EXPECT_EQ(simple("(2.0*x)/4.0"), "0.5*x");
  EXPECT_EQ(simple("3.0 - x - 5.0"), "-2 - x");
  EXPECT_EQ(simple("2.0/(4.0*x)"), "0.5/x");
}

TEST(Simplify, CollectsTermsAndFactors) {
  EXPECT_EQ(simple("2.0*x + 3.0*x"), "5*x");
  EXPECT_EQ(simple("x*x"), "x**2");
  EXPECT_EQ(simple("x*x**2"), "x**3");
  EXPECT_EQ(simple("x*x*y*x*x"), "x**4*y");
  EXPECT_EQ(simple("x**2/x"), "x");
  EXPECT_EQ(simple("sqrt(x)*sqrt(x)"), "x");
  EXPECT_EQ(simple("(2.0*x)**2"), "4*x**2");
  EXPECT_EQ(simple("x*y - y*x"), "0");
  EXPECT_EQ(simple("a*x + b - (a*x - b)"), "2*b");
  EXPECT_EQ(simple("-(x - y)"), "y - x");
}

TEST(Simplify, PreservesDefinedValues) {
  EXPECT_EQ(simple("sqrt(x**2)"), "abs(x)");
  EXPECT_EQ(simple("(x**2)**0.5"), "abs(x)");
  EXPECT_EQ(simple("(x**0.5)**2"), "x");
  EXPECT_EQ(simple("2.0*(x + y)"), "2*(x + y)");
}

TEST(Simplify, IgnoresOrderOfArguments) {
  EXPECT_EQ(simple("y*sin(x) + x"), simple("x + sin(x)*y"));
  EXPECT_EQ(simple("max(x, y)"), simple("max(y, x)"));
  EXPECT_EQ(simple("(x + y) + z"), simple("z + (y + x)"));
}

TEST(CanonicalHash, ComparesParamsByOrderOfAppearance) {
  EXPECT_EQ(hash_of("a*x + b"), hash_of("b + a*x"));
  EXPECT_EQ(hash_of("a*x + b"), hash_of("q*x + p"));
  EXPECT_NE(hash_of("x + x*a"), hash_of("x + a"));
  EXPECT_NE(hash_of("a*x + a"), hash_of("a*x + b"));
  EXPECT_NE(hash_of("a*x"), hash_of("a*y"));
}

TEST(WithConstants, ReplacesParams) {
  auto formula = *parse_infix("a*x + b*x", {"x"});
  const std::vector<double> params = {2, 3};

  formula.body = with_constants(formula.body, params);

  EXPECT_EQ(to_infix(formula), "5*x");
}

TEST(Simplify, HandlesHugeSharedGraphs) {
  ExpressionBuilder builder;
  NodeIndex x = builder.input(0);
  for (int i = 0; i < 40; ++i) x = builder.apply(Op::Add, x, x);

  EXPECT_EQ(simplify(builder.finish(x)).size(), 3u);
}

// Whether all subexpressions are finite and moderate in size.
bool is_finite_throughout(const Expression& expression,
                          std::span<const double> inputs,
                          std::span<const double> params) {
  ExpressionBuilder builder;
  builder.append(expression, {}, {});
  for (NodeIndex i = 0; i < builder.node_count(); ++i) {
    const double value = scalar_value(builder.finish(i), inputs, params);
    if (!std::isfinite(value) || std::abs(value) > 1e8) return false;
  }
  return true;
}

TEST(Simplify, PreservesValuesAndNeverGrows) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Rng rng(seed);
    const Expression before = random_expression(rng, {.operations = 15});
    const Expression after = simplify(before);
    ASSERT_LE(after.size(), before.size()) << "seed " << seed;
    for (int trial = 0; trial < 5; ++trial) {
      const std::array x = {rng.normal(0, 2), rng.normal(0, 2), rng.normal()};
      const std::array p = {rng.normal(0, 2), rng.normal(0, 2), rng.normal()};
      const double a = scalar_value(before, x, p);
      const double b = scalar_value(after, x, p);
      if (!is_finite_throughout(before, x, p)) continue;
      ++compared;
      EXPECT_NEAR(a, b, 1e-5 * (1 + std::abs(a)))
          << "seed " << seed << ": "
          << to_infix({.inputs = {"x", "y", "z"}, .body = before}) << " -> "
          << to_infix({.inputs = {"x", "y", "z"}, .body = after}) << " at "
          << x[0] << " " << x[1] << " " << x[2] << "; " << p[0] << " " << p[1]
          << " " << p[2];
    }
  }
  EXPECT_GT(compared, 5000);
}

TEST(Simplify, IsIdempotent) {
  int failures = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Rng rng(seed);
    const Expression once =
        simplify(random_expression(rng, {.operations = 20}));
    const Expression twice = simplify(once);
    if (!(once == twice) && ++failures < 5) {
      ADD_FAILURE() << "seed " << seed << ": "
                    << to_infix({.inputs = {"x", "y", "z"}, .body = once})
                    << " -> "
                    << to_infix({.inputs = {"x", "y", "z"}, .body = twice});
    }
  }
  EXPECT_EQ(failures, 0);
}

// Without bounds this takes longer than anybody waits.
TEST(CanonicalHash, IsBoundedForRepeatedSquares) {
  const auto squared = [](int times, bool adds) {
    ExpressionBuilder builder;
    NodeIndex x = builder.input(0);
    x = builder.apply(Op::Add, x, x);
    for (int i = 0; i < times; ++i) {
      x = builder.apply(Op::Mul, x, x);
      if (adds) x = builder.apply(Op::Add, x, builder.param(0));
    }
    return builder.finish(x);
  };
  for (const bool adds : {false, true}) {
    const std::uint64_t hash = canonical_hash(squared(60, adds));
    EXPECT_EQ(hash, canonical_hash(squared(60, adds)));
    EXPECT_NE(hash, canonical_hash(squared(59, adds)));
  }
}

// x0 = a; xi = step(x(i-1)), so the expression has few nodes, but as a tree it
// is exponentially large.
Expression chain(std::size_t length,
                 NodeIndex (*step)(ExpressionBuilder&, NodeIndex)) {
  ExpressionBuilder builder;
  NodeIndex x = builder.input(0);
  for (std::size_t i = 0; i < length; ++i) x = step(builder, x);
  return builder.finish(x);
}

TEST(Simplify, WorkOnSharedPartsIsBounded) {
  const std::array steps = {
      +[](ExpressionBuilder& b, NodeIndex x) { return b.apply(Op::Mul, x, x); },
      +[](ExpressionBuilder& b, NodeIndex x) {
        return b.apply(Op::Sub, x,
                       b.apply(Op::Sub, b.input(1),
                               b.apply(Op::Mul, x,
                                       b.constant(0.5 + static_cast<double>(
                                                            b.node_count())))));
      },
      +[](ExpressionBuilder& b, NodeIndex x) {
        return b.apply(Op::Div, b.apply(Op::Mul, x, b.param(0)),
                       b.apply(Op::Add, x, b.apply(Op::Neg, b.input(1))));
      },
      +[](ExpressionBuilder& b, NodeIndex x) {
        return b.apply(Op::Pow,
                       b.apply(Op::Mul, b.constant(2), b.apply(Op::Sqrt, x)),
                       b.constant(3));
      },
      +[](ExpressionBuilder& b, NodeIndex x) {
        return b.apply(Op::Where, b.apply(Op::Not, x), b.apply(Op::Neg, x),
                       b.apply(Op::Add, x, x));
      },
  };
  for (const auto& step : steps) {
    const Expression expression = chain(2'000, step);
    const Expression simple = simplify(expression);
    EXPECT_LE(simple.size(), expression.size());
    // Counted in nodes instead of time: simplifying must not multiply out.
    EXPECT_LE(simple.nodes().size(), expression.nodes().size());
    EXPECT_EQ(canonical_hash(expression), canonical_hash(expression));
  }
}

}  // namespace
}  // namespace lamarck::formula
