#include "lamarck/schema/internal/exact_number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/schema/internal/json_order.h"

namespace lamarck::schema {
namespace {

TEST(ExactNumber, OrdersByValueAcrossTypes) {
  const std::vector<Json> ascending = {
      -1e300,
      Json(std::numeric_limits<std::int64_t>::min()),
      -2.5,
      -2,
      -0.5,
      0,
      Json(std::uint64_t{1}),
      1.5,
      Json(std::int64_t{9007199254740992}),
      Json(std::int64_t{9007199254740993}),
      Json(std::numeric_limits<std::int64_t>::max()),
      9223372036854775808.0,
      Json(std::numeric_limits<std::uint64_t>::max()),
      18446744073709551616.0,
      1e300};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_TRUE(compare_numbers(ascending[i], ascending[j]) == (i <=> j))
          << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(ExactNumber, DividesDecimalsExactly) {
  EXPECT_TRUE(is_multiple_of(0.0075, 0.0001));
  EXPECT_FALSE(is_multiple_of(0.00751, 0.0001));
  EXPECT_TRUE(is_multiple_of(1e308, 1e-300));
  EXPECT_FALSE(is_multiple_of(1e308, 0.123456789));
  EXPECT_TRUE(is_multiple_of(12391239123, 1e-8));
  EXPECT_FALSE(is_multiple_of(1e-300, 1e300));
  EXPECT_TRUE(is_multiple_of(0, 3));
  EXPECT_TRUE(is_multiple_of(std::numeric_limits<std::int64_t>::min(), 2));
  EXPECT_FALSE(is_multiple_of(std::numeric_limits<std::int64_t>::max(), 10));
  EXPECT_TRUE(is_multiple_of(4.5, 1.5));
  EXPECT_TRUE(is_multiple_of(300, 1e2));
  EXPECT_FALSE(is_multiple_of(350, 1e2));
}

TEST(JsonOrder, FindsEqualItems) {
  EXPECT_EQ(equal_items(Json::parse(R"([{"a": 1, "b": 2}, [], null, false, 0,
                                        "", {"b": 2.0, "a": 1}])")),
            std::pair(std::size_t{0}, std::size_t{6}));
  EXPECT_EQ(equal_items(Json::parse(R"([0, false, null, "", [], {}, [0]])")),
            std::nullopt);
}

TEST(JsonOrder, MeasuresWithoutRecursion) {
  EXPECT_EQ(measure_extent(Json::parse("[1, [2, 3]]"), 2).value_count, 5U);
  EXPECT_FALSE(measure_extent(Json::parse("[1, [2, 3]]"), 2).is_too_deep);
  EXPECT_TRUE(measure_extent(Json::parse("[1, [2, 3]]"), 1).is_too_deep);
}

}  // namespace
}  // namespace lamarck::schema
