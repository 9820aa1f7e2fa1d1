#include "lamarck/base/display_number.h"

#include <gtest/gtest.h>

#include <limits>

namespace lamarck {
namespace {

TEST(ShortNumber, KeepsSignificantDigits) {
  EXPECT_EQ(short_number(0.123456), "0.1235");
  EXPECT_EQ(short_number(1.5e-7), "1.5e-07");
  EXPECT_EQ(short_number(123456), "1.235e+05");
  EXPECT_EQ(short_number(123456, 6), "123456");
  EXPECT_EQ(short_number(-2), "-2");
  EXPECT_EQ(short_number(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(GroupedDigits, SeparatesThousandsWithCommas) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(-999), "-999");
  EXPECT_EQ(grouped_digits(1000), "1,000");
  EXPECT_EQ(grouped_digits(-1234567), "-1,234,567");
  EXPECT_EQ(grouped_digits(std::numeric_limits<std::int64_t>::min()),
            "-9,223,372,036,854,775,808");
}

}  // namespace
}  // namespace lamarck
