#include "lamarck/tensor/simd_target.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lamarck {
namespace {

TEST(SimdTarget, IsOneOfThoseCompiledFor) {
  const auto compiled = compiled_simd_targets();
  EXPECT_EQ(std::ranges::count(compiled, simd_target()), 1);
}

TEST(SimdTarget, RunsOnEveryMachineYetUsesMoreWhereItCan) {
  // A baseline that every processor of the architecture has, and others above.
  EXPECT_GT(compiled_simd_targets().size(), 1u);
}

}  // namespace
}  // namespace lamarck
