#include "lamarck/tensor/simd_target.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lamarck {
namespace {

class SimdTarget : public ::testing::Test {
 protected:
  void TearDown() override {
    ASSERT_TRUE(choose_simd_target("auto").has_value());
  }
};

TEST_F(SimdTarget, DefaultsToBestSupportedTarget) {
  EXPECT_EQ(simd_target(), supported_simd_targets().front());
}

TEST_F(SimdTarget, IsAmongCompiledTargets) {
  const auto compiled = compiled_simd_targets();
  EXPECT_EQ(std::ranges::count(compiled, simd_target()), 1);
}

TEST_F(SimdTarget, IsCompiledForSeveralTargets) {
  // A baseline that every processor of the architecture supports, and better
  // ones.
  EXPECT_GT(compiled_simd_targets().size(), 1u);
}

TEST_F(SimdTarget, CanChooseAnySupportedTarget) {
  for (const std::string& name : supported_simd_targets()) {
    ASSERT_TRUE(choose_simd_target(name).has_value());
    EXPECT_EQ(simd_target(), name);
    EXPECT_GE(supported_simd_targets().size(), 1u);
  }
  ASSERT_TRUE(choose_simd_target("auto").has_value());
  EXPECT_EQ(simd_target(), supported_simd_targets().front());
}

// A query must not change what the kernels use.
TEST_F(SimdTarget, QueriesDoNotChangeChosenTarget) {
  const std::string last = supported_simd_targets().back();
  ASSERT_TRUE(choose_simd_target(last).has_value());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(simd_target(), last);
    EXPECT_GE(supported_simd_targets().size(), 1u);
  }
}

TEST_F(SimdTarget, RejectsUnknownTargetAndListsSupportedOnes) {
  const auto refused = choose_simd_target("mmx");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("one of auto, "), std::string::npos);
  EXPECT_NE(refused.error().message().find("got 'mmx'"), std::string::npos);
  EXPECT_EQ(simd_target(), supported_simd_targets().front());
}

}  // namespace
}  // namespace lamarck
