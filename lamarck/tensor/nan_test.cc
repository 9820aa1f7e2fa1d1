// NaN in, NaN out: a kernel that drops NaN turns a broken input into a
// plausible result.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lamarck/tensor/binary_ops.h"
#include "lamarck/tensor/reductions.h"
#include "lamarck/tensor/simd_target.h"
#include "lamarck/tensor/unary_ops.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
// Whole vectors of every target and a remainder.
constexpr std::size_t kCount = 83;

// Runs the tests once per instruction set of this machine.
class Nan : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(choose_simd_target(GetParam()).has_value());
  }
  void TearDown() override {
    ASSERT_TRUE(choose_simd_target("auto").has_value());
  }

  // 1, 2, 3 ... with NaN at `at`.
  static std::vector<float> with_nan(std::size_t at,
                                     std::size_t count = kCount) {
    std::vector<float> x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i + 1);
    x[at] = kNan;
    return x;
  }
};

TEST_P(Nan, PassesThroughEveryUnaryFunction) {
  for (const UnaryOp& op : unary_ops()) {
    if (op.name == "step") continue;  // A comparison with 0.
    for (const std::size_t at : {std::size_t{0}, std::size_t{17}, kCount - 1}) {
      const std::vector<float> x = with_nan(at);
      std::vector<float> y(kCount);
      op.value(x.data(), y.data(), kCount, op.default_parameters.data());
      EXPECT_TRUE(std::isnan(y[at]))
          << op.name << " at " << at << ": " << y[at];
    }
  }
}

TEST_P(Nan, PassesThroughEveryBinaryFunctionFromBothSides) {
  const std::vector<float> ones(kCount, 1.0f);
  for (const BinaryOp& op : binary_ops()) {
    if (op.is_comparison) continue;
    for (const std::size_t at : {std::size_t{0}, std::size_t{17}, kCount - 1}) {
      const std::vector<float> x = with_nan(at);
      std::vector<float> y(kCount);
      op.value(x.data(), 1, ones.data(), 1, y.data(), kCount);
      EXPECT_TRUE(std::isnan(y[at])) << op.name << "(NaN, 1): " << y[at];
      op.value(ones.data(), 1, x.data(), 1, y.data(), kCount);
      EXPECT_TRUE(std::isnan(y[at])) << op.name << "(1, NaN): " << y[at];
    }
  }
}

TEST_P(Nan, ReachesTheLargestAndSmallestFromEveryPlace) {
  for (std::size_t count = 1; count < kCount; count += 5) {
    for (std::size_t at = 0; at < count; ++at) {
      const std::vector<float> x = with_nan(at, count);
      EXPECT_TRUE(std::isnan(max_of(x.data(), count))) << at << "/" << count;
      EXPECT_TRUE(std::isnan(min_of(x.data(), count))) << at << "/" << count;
    }
  }
}

TEST_P(Nan, ReachesReductionsOverRows) {
  for (const Reduction reduction : {Reduction::Max, Reduction::Min}) {
    for (std::size_t row = 0; row < 3; ++row) {
      std::vector<float> x(3 * kCount, 1.0f);
      x[row * kCount + 40] = kNan;
      std::vector<float> y(kCount);
      reduce(reduction, AxisView(Shape{3, std::int64_t{kCount}}, 0), x.data(),
             y.data());
      EXPECT_TRUE(std::isnan(y[40])) << row;
      EXPECT_EQ(y[41], 1.0f);
    }
  }
}

TEST_P(Nan, ReachesTheExponentialsOfSoftmax) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{17}, kCount - 1}) {
    const std::vector<float> x = with_nan(at);
    std::vector<float> y(kCount);
    const float largest = max_of(x.data(), kCount);
    EXPECT_TRUE(std::isnan(exp_shifted(x.data(), largest, y.data(), kCount)));
    EXPECT_TRUE(std::isnan(exp_shifted(x.data(), 1.0f, y.data(), kCount)));
  }
}

// As in numpy and PyTorch, NaN counts as the largest.
TEST_P(Nan, IsWhereArgmaxPoints) {
  const std::vector<float> x = with_nan(30);
  float y = 0;
  argmax(AxisView(Shape{std::int64_t{kCount}}), x.data(), &y);
  EXPECT_EQ(y, 30.0f);
}

INSTANTIATE_TEST_SUITE_P(Targets, Nan,
                         testing::ValuesIn(supported_simd_targets()),
                         [](const auto& target) { return target.param; });

}  // namespace
}  // namespace lamarck
