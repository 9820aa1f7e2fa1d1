#include "lamarck/tensor/unary_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

class EveryUnaryOp : public testing::TestWithParam<std::string> {
 protected:
  const UnaryOp& op() const { return unary_op(GetParam()); }

  // Draws points of the domain away from kinks.
  std::vector<float> sample(std::size_t count, Rng& rng) const {
    std::vector<float> x(count);
    for (float& value : x) {
      value =
          static_cast<float>(rng.uniform(op().domain_low, op().domain_high));
      for (std::size_t i = 0; i < op().kink_count; ++i) {
        const float kink = op().kinks[i];
        if (std::abs(value - kink) < 0.05f) value = kink + 0.1f;
      }
    }
    return x;
  }

  std::vector<float> values(const std::vector<float>& x) const {
    std::vector<float> y(x.size());
    op().value(x.data(), y.data(), x.size(), op().default_parameters.data());
    return y;
  }
};

TEST_P(EveryUnaryOp, SlopeMatchesCentralDifferences) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Rng rng(seed);
    const std::vector<float> x = sample(33, rng);
    constexpr float kStep = 1e-2f;
    std::vector<float> above = x;
    std::vector<float> below = x;
    for (float& value : above) value += kStep;
    for (float& value : below) value -= kStep;
    const auto y = values(x);
    const auto high = values(above);
    const auto low = values(below);
    const std::vector<float> ones(x.size(), 1.0f);
    std::vector<float> slope(x.size());
    op().gradient(x.data(), y.data(), ones.data(), slope.data(), x.size(),
                  op().default_parameters.data(), false);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float expected = (high[i] - low[i]) / (2 * kStep);
      EXPECT_NEAR(slope[i], expected, 4e-3f * (1 + std::abs(expected)))
          << op().name << " at " << x[i] << ", seed " << seed;
    }
  }
}

TEST_P(EveryUnaryOp, ResultDoesNotDependOnLength) {
  Rng rng(7);
  const auto x = sample(70, rng);
  const auto y = values(x);
  for (std::size_t length = 0; length < x.size(); ++length) {
    const std::vector<float> part(x.begin(),
                                  x.begin() + static_cast<long>(length));
    const auto short_y = values(part);
    for (std::size_t i = 0; i < length; ++i) {
      ASSERT_FLOAT_EQ(short_y[i], y[i]) << GetParam() << " " << length;
    }
  }
}

TEST_P(EveryUnaryOp, AccumulatesGradientOnRequest) {
  Rng rng(8);
  const auto x = sample(21, rng);
  const auto y = values(x);
  const std::vector<float> dy(x.size(), 0.5f);
  std::vector<float> once(x.size());
  op().gradient(x.data(), y.data(), dy.data(), once.data(), x.size(),
                op().default_parameters.data(), false);
  std::vector<float> twice(x.size(), 3.0f);
  op().gradient(x.data(), y.data(), dy.data(), twice.data(), x.size(),
                op().default_parameters.data(), true);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_FLOAT_EQ(twice[i], 3.0f + once[i]);
  }
}

TEST_P(EveryUnaryOp, PropagatesNan) {
  const UnaryOp& op = unary_op(GetParam());
  std::vector<float> values(37, op.domain_high);
  for (const std::size_t at : {0u, 5u, 36u}) values[at] = NAN;
  op.value(values.data(), values.data(), values.size(),
           op.default_parameters.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::isnan(values[i]), i == 0 || i == 5 || i == 36) << i;
  }
}

TEST_P(EveryUnaryOp, WorksInPlace) {
  Rng rng(9);
  auto x = sample(19, rng);
  const auto y = values(x);
  op().value(x.data(), x.data(), x.size(), op().default_parameters.data());
  EXPECT_EQ(x, y);
}

std::vector<std::string> unary_op_names() {
  std::vector<std::string> found;
  for (const UnaryOp& op : unary_ops()) found.emplace_back(op.name);
  return found;
}

INSTANTIATE_TEST_SUITE_P(UnaryOps, EveryUnaryOp,
                         testing::ValuesIn(unary_op_names()),
                         [](const auto& test) { return test.param; });

float value_of(std::string_view name, float x) {
  const UnaryOp& op = unary_op(name);
  float y = 0;
  op.value(&x, &y, 1, op.default_parameters.data());
  return y;
}

TEST(UnaryOps, HaveUniqueNames) {
  std::set<std::string_view> seen;
  for (const UnaryOp& op : unary_ops()) {
    EXPECT_TRUE(seen.insert(op.name).second) << op.name;
  }
  EXPECT_THROW(unary_op("rellu"), LogicError);
}

TEST(UnaryOps, MatchStandardLibrary) {
  for (float x = -6; x < 6; x += 0.37f) {
    EXPECT_NEAR(value_of("tanh", x), std::tanh(x), 1e-6);
    EXPECT_NEAR(value_of("sigmoid", x), 1 / (1 + std::exp(-x)), 1e-6);
    EXPECT_NEAR(value_of("exp", x), std::exp(x), 1e-6 * std::exp(x));
    EXPECT_NEAR(value_of("softplus", x), std::log1p(std::exp(x)), 1e-6);
    EXPECT_NEAR(value_of("elu", x), x > 0 ? x : std::expm1(x), 1e-6);
    EXPECT_NEAR(value_of("gelu", x), x * 0.5 * std::erfc(-x / std::sqrt(2.0)),
                1e-6);
  }
}

TEST(UnaryOps, GiveNoNanForFiniteInput) {
  constexpr float kHuge = std::numeric_limits<float>::max();
  for (const char* name : {"relu", "leaky_relu", "sigmoid", "tanh", "step",
                           "gelu", "silu", "softplus", "elu", "exp"}) {
    for (const float x :
         {-kHuge, -1e30f, -100.0f, -88.0f, 88.0f, 100.0f, 1e30f, kHuge}) {
      EXPECT_FALSE(std::isnan(value_of(name, x))) << name << " at " << x;
    }
  }
  EXPECT_EQ(value_of("sigmoid", -1000), value_of("sigmoid", -200));
  EXPECT_EQ(value_of("tanh", 1e30f), 1.0f);
  EXPECT_EQ(value_of("softplus", 1e30f), 1e30f);
  EXPECT_EQ(value_of("exp", 1000), std::numeric_limits<float>::infinity());
  EXPECT_EQ(value_of("exp", -1000), 0.0f);
}

TEST(UnaryOps, AreZeroForLargeNegativeInput) {
  for (const std::string name : {"silu", "gelu", "sigmoid", "softplus"}) {
    const UnaryOp& op = unary_op(name);
    const float x = -3e38f;
    const float dy = 1;
    float y = 1;
    float dx = 1;
    op.value(&x, &y, 1, op.default_parameters.data());
    op.gradient(&x, &y, &dy, &dx, 1, op.default_parameters.data(), false);
    EXPECT_EQ(y, 0) << name;
    EXPECT_EQ(dx, 0) << name;
  }
}

}  // namespace
}  // namespace lamarck
