// Numbers that people write down, and the fractions, roots and multiples of pi
// behind a decimal number.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lamarck::formula {

// coefficient * pi**pi_power * sqrt(root) / divisor, where pi_power may be a
// half.
struct KnownConstant {
  double coefficient = 1;    // An integer, or a decimal number of few digits.
  std::int64_t divisor = 1;  // 1 if the coefficient is not an integer.
  double pi_power = 0;
  std::int64_t root = 1;

  double value() const;
  std::string text() const;  // "3/(4*pi)"
  bool is_plain() const { return pi_power == 0 && root == 1; }
};

// A number that was written as a known constant.
struct WrittenConstant {
  double fitted = 0;
  double value = 0;
  std::string text;  // "3/(4*pi)"
};

// The nearest simple number: an integer or a fraction with a small denominator;
// the number itself if none is within the relative tolerance.
double simple_number(double value, double tolerance);

// Whether it is an integer or a simple fraction, which a person would not fit.
bool is_simple_number(double value);

// The constant that explains the value within the relative tolerance, if its
// description is clearly shorter than the digits that it explains.
std::optional<KnownConstant> recognize_constant(double value, double tolerance);

}  // namespace lamarck::formula
