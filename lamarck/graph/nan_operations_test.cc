// NaN in, NaN out, for the operations that combine elements.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lamarck/graph/graph.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck {
namespace {

constexpr float kBroken = std::numeric_limits<float>::quiet_NaN();
// Whole vectors of every target and a remainder.
constexpr std::int64_t kWide = 83;

// Runs the tests once per instruction set of this machine.
class GraphNan : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(choose_simd_target(GetParam()).has_value());
  }
  void TearDown() override {
    ASSERT_TRUE(choose_simd_target("auto").has_value());
  }
};

std::int64_t count_nan(const Var& var) {
  var.forward();
  std::int64_t count = 0;
  for (const float each : var.value().to_vector()) {
    count += std::isnan(each) ? 1 : 0;
  }
  return count;
}

// Two rows, the second with one NaN.
TEST_P(GraphNan, SpoilsItsRowAndNoOther) {
  const Graph graph(1);
  const Tensor sound = Tensor::range(2 * kWide).reshape({2, kWide}) * 0.1f;
  const Var x = graph.input(sound.clone());
  const std::vector<Var> rows = {x.max(1), x.min(1), x.sum(1), x.mean(1)};
  const std::vector<Var> same = {x.softmax(), x.log_softmax()};
  const std::vector<Var> whole = {
      x.max(), x.min(), x.mean(),
      x.cross_entropy(graph.input(Tensor::full({2, kWide}, 0.012f)))};
  for (const std::int64_t at : {std::int64_t{0}, kWide / 2, kWide - 1}) {
    Tensor broken = sound.clone();
    broken.at({1, at}) = kBroken;
    x.set_value(broken);
    for (const Var& each : rows) {
      EXPECT_EQ(count_nan(each), 1) << each.operation() << " at " << at;
    }
    for (const Var& each : same) {
      EXPECT_EQ(count_nan(each), kWide) << each.operation() << " at " << at;
    }
    for (const Var& each : whole) {
      EXPECT_EQ(count_nan(each), 1) << each.operation() << " at " << at;
    }
  }
}

TEST_P(GraphNan, PassesThroughChainsOfFunctions) {
  const Graph graph(1);
  Tensor values = Tensor::ones({kWide});
  values.at({kWide / 3}) = kBroken;
  const Var x = graph.input(values);
  const Var one = graph.input(Tensor::ones({kWide}));
  EXPECT_EQ(count_nan((x.relu() * 2.0f).tanh().sigmoid()), 1);
  EXPECT_EQ(count_nan(binary("maximum", one, x).gelu()), 1);
  EXPECT_EQ(count_nan(binary("minimum", one, x).leaky_relu()), 1);
  EXPECT_EQ(count_nan(x.clamp(0, 1).softplus().elu().silu()), 1);
}

TEST_P(GraphNan, SpoilsTheWindowsThatHoldIt) {
  const Graph graph(1);
  Tensor image = Tensor::ones({1, 1, 8, 40});
  image.at({0, 0, 3, 21}) = kBroken;
  const Var x = graph.input(image);
  EXPECT_EQ(count_nan(x.max_pool2d(2)), 1);
  EXPECT_EQ(count_nan(x.avg_pool2d(2)), 1);
  EXPECT_EQ(count_nan(x.max_pool2d(3, {.stride = 1})), 9);
}

TEST_P(GraphNan, MakesTheLossNanWhereverItIs) {
  const Graph graph(1);
  const Var x = graph.input(Tensor::ones({3, 5}));
  const Var w = graph.parameter({5, 4}, Init::xavier(), "w");
  const Var loss = x.matmul(w).relu().cross_entropy(
      graph.input(Tensor::full({3, 4}, 0.25f)));
  for (std::int64_t row = 0; row < 3; ++row) {
    Tensor values = Tensor::ones({3, 5});
    values.at({row, 4 - row}) = kBroken;
    x.set_value(values);
    w.zero_grad();
    EXPECT_TRUE(std::isnan(loss.backward())) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, GraphNan,
                         testing::ValuesIn(supported_simd_targets()),
                         [](const auto& target) { return target.param; });

}  // namespace
}  // namespace lamarck
