#include "lamarck/base/portable_math.h"

#include <cmath>
#include <limits>

namespace lamarck {
namespace {

// ln 2 in two parts. The high part ends in zero bits, so k * kLn2High is exact.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;

}  // namespace

double portable_log(double x) {
  if (!(x > 0)) {
    return x == 0 ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
  }
  if (std::isinf(x)) return x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  // log m = 2 atanh s, whose series converges fast for |s| < 0.172. The
  // leading term is written as f - s f, which keeps full precision near m = 1.
  const double f = m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  double tail = 0;
  for (int k = 21; k >= 3; k -= 2) tail = (tail + 1.0 / k) * z;
  const double correction = s * (f - 2 * tail);
  return exponent * kLn2High + (f - (correction - exponent * kLn2Low));
}

double portable_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.782712893384) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0;
  // exp x = 2^k exp r with |r| <= ln(2) / 2; Horner's scheme sums the series.
  const double k = std::nearbyint(x * 1.44269504088896338700);
  const double high = x - k * kLn2High;
  const double r = high - k * kLn2Low;
  double sum = 1.0;
  for (int n = 14; n >= 2; --n) sum = 1.0 + sum * r / n;
  return std::ldexp(1.0 + sum * r, static_cast<int>(k));
}

}  // namespace lamarck
