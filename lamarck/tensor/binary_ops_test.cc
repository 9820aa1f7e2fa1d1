#include "lamarck/tensor/binary_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"

namespace lamarck {
namespace {

// A plain reference implementation of each function.
const std::map<std::string_view, float (*)(float, float)> kPlain = {
    {"add", [](float a, float b) { return a + b; }},
    {"sub", [](float a, float b) { return a - b; }},
    {"mul", [](float a, float b) { return a * b; }},
    {"div", [](float a, float b) { return a / b; }},
    {"maximum", [](float a, float b) { return a > b ? a : b; }},
    {"minimum", [](float a, float b) { return a < b ? a : b; }},
    {"masked", [](float a, float b) { return b != 0 ? a : 0; }},
    {"greater", [](float a, float b) { return a > b ? 1.0f : 0.0f; }},
    {"greater_equal", [](float a, float b) { return a >= b ? 1.0f : 0.0f; }},
    {"less", [](float a, float b) { return a < b ? 1.0f : 0.0f; }},
    {"less_equal", [](float a, float b) { return a <= b ? 1.0f : 0.0f; }},
    {"equal", [](float a, float b) { return a == b ? 1.0f : 0.0f; }},
    {"not_equal", [](float a, float b) { return a != b ? 1.0f : 0.0f; }},
};

class EveryBinaryOp : public testing::TestWithParam<std::string> {};

TEST_P(EveryBinaryOp, MatchesReferenceForAllBroadcasts) {
  const BinaryOp& op = binary_op(GetParam());
  ASSERT_TRUE(kPlain.contains(op.name)) << op.name;
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{}, {}},
      {{7}, {7}},
      {{7}, {}},
      {{}, {7}},
      {{3, 17}, {17}},
      {{3, 1}, {1, 9}},
      {{2, 3, 4}, {3, 1}},
      {{2, 1, 4}, {3, 4}},
      {{5, 1}, {5, 12}},
      {{1, 1}, {40}},
      {{2, 3, 1, 5}, {3, 4, 1}}};
  for (const auto& [a_shape, b_shape] : shapes) {
    Rng rng(1);
    const Shape out = broadcast_shape(a_shape, b_shape, op.name);
    std::vector<float> a(static_cast<std::size_t>(a_shape.element_count()));
    std::vector<float> b(static_cast<std::size_t>(b_shape.element_count()));
    // Only a few distinct values, so that equal elements meet.
    for (float& x : a) x = static_cast<float>(rng.integer(1, 4));
    for (float& x : b) x = static_cast<float>(rng.integer(1, 4));
    std::vector<float> y(static_cast<std::size_t>(out.element_count()));
    run_binary(op, BroadcastPlan(a_shape, b_shape, out), a.data(), b.data(),
               y.data());

    const auto a_strides = broadcast_strides(a_shape, out);
    const auto b_strides = broadcast_strides(b_shape, out);
    for (std::int64_t i = 0; i < out.element_count(); ++i) {
      std::int64_t rest = i;
      std::int64_t at_a = 0;
      std::int64_t at_b = 0;
      for (std::size_t axis = out.rank(); axis-- > 0;) {
        at_a += rest % out[axis] * a_strides[axis];
        at_b += rest % out[axis] * b_strides[axis];
        rest /= out[axis];
      }
      ASSERT_FLOAT_EQ(y[static_cast<std::size_t>(i)],
                      kPlain.at(op.name)(a[static_cast<std::size_t>(at_a)],
                                         b[static_cast<std::size_t>(at_b)]))
          << op.name << a_shape.to_string() << b_shape.to_string() << i;
    }
  }
}

TEST_P(EveryBinaryOp, SlopesMatchCentralDifferences) {
  const BinaryOp& op = binary_op(GetParam());
  const auto plain = kPlain.at(op.name);
  constexpr float kStep = 1e-2f;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Rng rng(seed);
    constexpr std::size_t kCount = 19;
    std::vector<float> a(kCount);
    std::vector<float> b(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      b[i] = static_cast<float>(rng.uniform(op.b_low, op.b_high));
      a[i] = static_cast<float>(rng.uniform(-2, 2));
      if (op.has_kink && std::abs(a[i] - b[i]) < 0.1f) a[i] = b[i] + 0.5f;
    }
    const std::vector<float> dy(kCount, 1.0f);
    std::vector<float> da(kCount);
    std::vector<float> db(kCount);
    op.gradient_a(a.data(), 1, b.data(), 1, dy.data(), da.data(), kCount);
    op.gradient_b(a.data(), 1, b.data(), 1, dy.data(), db.data(), kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      const float by_a =
          (plain(a[i] + kStep, b[i]) - plain(a[i] - kStep, b[i])) / (2 * kStep);
      const float by_b =
          (plain(a[i], b[i] + kStep) - plain(a[i], b[i] - kStep)) / (2 * kStep);
      EXPECT_NEAR(da[i], by_a, 4e-3f * (1 + std::abs(by_a))) << op.name;
      EXPECT_NEAR(db[i], by_b, 4e-3f * (1 + std::abs(by_b))) << op.name;
    }
  }
}

std::vector<std::string> binary_op_names() {
  std::vector<std::string> found;
  for (const BinaryOp& op : binary_ops()) found.emplace_back(op.name);
  return found;
}

INSTANTIATE_TEST_SUITE_P(BinaryOps, EveryBinaryOp,
                         testing::ValuesIn(binary_op_names()),
                         [](const auto& test) { return test.param; });

TEST(BinaryOps, HaveUniqueNames) {
  std::set<std::string_view> seen;
  for (const BinaryOp& op : binary_ops()) {
    EXPECT_TRUE(seen.insert(op.name).second) << op.name;
  }
  EXPECT_EQ(seen.size(), kPlain.size());
  EXPECT_THROW(binary_op("ad"), LogicError);
}

TEST(BroadcastPlan, MergesAxesThatBothSidesWalkContiguously) {
  const BroadcastPlan same({4, 5, 6}, {4, 5, 6}, {4, 5, 6});
  EXPECT_EQ(same.row_size, 120);
  EXPECT_EQ(same.row_count, 1);
  const BroadcastPlan bias({64, 128}, {128}, {64, 128});
  EXPECT_EQ(bias.row_size, 128);
  EXPECT_EQ(bias.row_count, 64);
  const BroadcastPlan scalar({64, 128}, {}, {64, 128});
  EXPECT_EQ(scalar.row_size, 64 * 128);
  EXPECT_EQ(scalar.b_step, 0u);
}

}  // namespace
}  // namespace lamarck
