// Reads the reference values of tests/reference/ and compares with them.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {

inline Json reference_cases(const std::string& file) {
  return parse_json(read_file(LAMARCK_REFERENCE "/" + file).value()).value();
}

inline Tensor parse_tensor(const Json& packed) {
  return Tensor::from(Shape(packed["shape"].get<std::vector<std::int64_t>>()),
                      packed["values"].get<std::vector<float>>());
}

// The tolerance is 1e-5 of the largest expected value, but at least 1e-6: where
// sums cancel, all expected values may be tiny.
inline void expect_close(const Tensor& ours, const std::vector<float>& expected,
                         const std::string& what) {
  const auto values = ours.to_vector();
  ASSERT_EQ(values.size(), expected.size()) << what;
  float scale = 0.1f;
  for (const float x : expected) scale = std::max(scale, std::abs(x));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], 1e-5f * scale) << what << " at " << i;
  }
}

}  // namespace lamarck
