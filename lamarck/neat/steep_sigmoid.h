// NEAT's activation function, 1 / (1 + exp(-4.9 x)).

#pragma once

#include <bit>
#include <cstdint>

namespace lamarck::neat {

inline constexpr double kSigmoidSlope = 4.9;

// Returns exp(x) with a relative error below 1e-9; x is clamped to +-700. It
// uses only sums and products, so results are the same on every machine and
// loops over it are vectorized.
inline double quick_exp(double x) {
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2 = 0.6931471805599453;
  constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52: adding rounds.
  const double bounded = x < -700 ? -700.0 : (x > 700 ? 700.0 : x);
  const double shifted = bounded * kLog2E + kMagic;
  // exp(x) = 2^n exp(r) with |r| <= ln(2) / 2; the polynomial is exp's series.
  const double r = bounded - (shifted - kMagic) * kLn2;
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double low = (1 + r) + r2 * (0.5 + r * (1.0 / 6));
  const double high =
      (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  // The low bits of `shifted` are n. Adding the bias 1023 and moving them into
  // the exponent field gives 2^n; the other bits are shifted out.
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023)
                              << 52U;
  return (low + r4 * (high + r4 * (1.0 / 40320))) *
         std::bit_cast<double>(power);
}

inline double steep_sigmoid(double x) {
  return 1 / (1 + quick_exp(-kSigmoidSlope * x));
}

}  // namespace lamarck::neat
