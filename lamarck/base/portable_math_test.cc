#include "lamarck/base/portable_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lamarck {
namespace {

double ulps_apart(double a, double b) {
  const double ulp =
      std::nextafter(std::abs(b), std::numeric_limits<double>::infinity()) -
      std::abs(b);
  return std::abs(a - b) / ulp;
}

TEST(PortableMath, LogAgreesWithLibmToTwoUlps) {
  for (double x = 1e-300; x < 1e300; x *= 1.0371) {
    EXPECT_LE(ulps_apart(portable_log(x), std::log(x)), 2) << x;
  }
  for (double x = 0.5; x < 2; x += 0.00073) {
    EXPECT_LE(ulps_apart(portable_log(x), std::log(x)), 2) << x;
  }
}

TEST(PortableMath, ExpAgreesWithLibmToTwoUlps) {
  for (double x = -707; x < 709; x += 0.0173) {
    EXPECT_LE(ulps_apart(portable_exp(x), std::exp(x)), 2) << x;
  }
}

TEST(PortableMath, HandlesZeroInfinityAndNan) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(portable_log(0), -kInf);
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_log(kInf), kInf);
  EXPECT_TRUE(std::isnan(portable_log(-1)));
  EXPECT_TRUE(std::isnan(portable_log(std::nan(""))));
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-kInf), 0);
  EXPECT_EQ(portable_exp(kInf), kInf);
  EXPECT_TRUE(std::isnan(portable_exp(std::nan(""))));
}

}  // namespace
}  // namespace lamarck
