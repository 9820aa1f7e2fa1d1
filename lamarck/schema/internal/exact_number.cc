#include "lamarck/schema/internal/exact_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <nlohmann/json.hpp>

namespace lamarck::schema {
namespace {

__extension__ using Wide = unsigned __int128;

// The absolute value of a number as digits * 10^exponent; zero has digits 0.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value)
                   : static_cast<std::uint64_t>(value);
}

// Uses the shortest decimal that parses to the same double.
Decimal to_decimal(double value) {
  std::array<char, 32> buffer{};
  char* const begin = buffer.data();
  const auto end = std::to_chars(begin, begin + buffer.size(), std::abs(value),
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  const std::size_t e = text.find('e');
  Decimal decimal;
  for (const char c : text.substr(0, e)) {
    if (c != '.') {
      decimal.digits =
          decimal.digits * 10 + static_cast<std::uint64_t>(c - '0');
    }
  }
  const std::size_t sign = text[e + 1] == '+' ? 2 : 1;
  std::from_chars(begin + e + sign, end, decimal.exponent);
  decimal.exponent -= e > 2 ? static_cast<int>(e) - 2 : 0;
  return decimal;
}

Decimal to_decimal(const Json& number) {
  if (number.is_number_unsigned()) return {number.get<std::uint64_t>(), 0};
  if (number.is_number_integer()) {
    return {magnitude(number.get<std::int64_t>()), 0};
  }
  return to_decimal(number.get<double>());
}

// 10^exponent modulo `modulus`, by repeated squaring.
std::uint64_t power_of_ten_modulo(int exponent, std::uint64_t modulus) {
  Wide power = 1 % modulus;
  Wide square = 10 % modulus;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) power = power * square % modulus;
    square = square * square % modulus;
  }
  return static_cast<std::uint64_t>(power);
}

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 2 * kTwoTo63;

// Compares an integer with a double exactly. Converting the integer to a double
// could round it.
template <class Int>
std::partial_ordering compare_mixed(Int whole, double real) {
  constexpr bool kIsSigned = std::is_signed_v<Int>;
  if (std::isnan(real)) return std::partial_ordering::unordered;
  if (real >= (kIsSigned ? kTwoTo63 : kTwoTo64)) {
    return std::partial_ordering::less;
  }
  if (real < (kIsSigned ? -kTwoTo63 : 0.0)) {
    return std::partial_ordering::greater;
  }
  // `real` is now within the range of Int, so its floor converts exactly.
  const double floor = std::floor(real);
  const Int below = static_cast<Int>(floor);
  if (whole != below) return whole <=> below;
  return real > floor ? std::partial_ordering::less
                      : std::partial_ordering::equivalent;
}

std::partial_ordering compare_to_real(const Json& number, double real) {
  if (number.is_number_unsigned()) {
    return compare_mixed(number.get<std::uint64_t>(), real);
  }
  if (number.is_number_integer()) {
    return compare_mixed(number.get<std::int64_t>(), real);
  }
  return number.get<double>() <=> real;
}

bool is_negative_integer(const Json& number) {
  return !number.is_number_unsigned() && number.get<std::int64_t>() < 0;
}

}  // namespace

bool is_whole(const Json& number) {
  if (!number.is_number_float()) return true;
  const double value = number.get<double>();
  return std::isfinite(value) && std::floor(value) == value;
}

std::partial_ordering compare_numbers(const Json& left, const Json& right) {
  if (right.is_number_float()) {
    return compare_to_real(left, right.get<double>());
  }
  if (left.is_number_float()) {
    return 0 <=> compare_to_real(right, left.get<double>());
  }
  if (is_negative_integer(left) || is_negative_integer(right)) {
    if (!is_negative_integer(left)) return std::partial_ordering::greater;
    if (!is_negative_integer(right)) return std::partial_ordering::less;
    return left.get<std::int64_t>() <=> right.get<std::int64_t>();
  }
  return left.get<std::uint64_t>() <=> right.get<std::uint64_t>();
}

bool is_multiple_of(const Json& number, const Json& divisor) {
  if (number.is_number_float() && !std::isfinite(number.get<double>())) {
    return false;
  }
  const Decimal value = to_decimal(number);
  const Decimal base = to_decimal(divisor);
  if (value.digits == 0) return true;
  // value / base = digits * 10^shift / base.digits.
  const int shift = value.exponent - base.exponent;
  if (shift >= 0) {
    return Wide{value.digits} * power_of_ten_modulo(shift, base.digits) %
               base.digits ==
           0;
  }
  if (shift < -19) return false;  // The divisor exceeds any 64-bit value.
  Wide scale = 1;
  for (int i = 0; i < -shift; ++i) scale *= 10;
  return value.digits % (base.digits * scale) == 0;
}

}  // namespace lamarck::schema
