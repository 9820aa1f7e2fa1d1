#include "lamarck/formula/rewriting/simple_number.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <fmt/format.h>

namespace lamarck::formula {
namespace {

constexpr std::array<double, 9> kSimpleDivisors = {1, 2, 3, 4, 5, 6, 8, 9, 12};
constexpr double kMaxSimple = 1e6;
// A recognized constant must explain this many bits more than it needs.
constexpr double kSpareBits = 12;

struct Fraction {
  double above = 0;
  std::int64_t below = 1;
};

bool is_near(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance * std::fabs(b);
}

// The simplest fraction within the tolerance, by continued fractions.
std::optional<Fraction> nearest_fraction(double value, double tolerance) {
  constexpr double kMaxPart = 1e4;
  double rest = value;
  double above = 1;
  double last_above = 0;
  double below = 0;
  double last_below = 1;
  for (int step = 0; step < 12; ++step) {
    const double whole = std::floor(rest);
    const double next_above = whole * above + last_above;
    const double next_below = whole * below + last_below;
    last_above = above;
    last_below = below;
    above = next_above;
    below = next_below;
    if (above > kMaxPart || below > kMaxPart) return std::nullopt;
    if (below > 0 && is_near(above / below, value, tolerance)) {
      if (above == 0) return std::nullopt;
      return Fraction{above, static_cast<std::int64_t>(below)};
    }
    if (rest == whole) return std::nullopt;
    rest = 1 / (rest - whole);
  }
  return std::nullopt;
}

// A decimal number of at most four digits, such as 9.81 or 6.674.
std::optional<double> short_decimal(double value, double tolerance) {
  for (int digits = 1; digits <= 4; ++digits) {
    const double rounded = std::stod(fmt::format("{:.{}e}", value, digits - 1));
    if (is_near(value, rounded, tolerance)) return rounded;
  }
  return std::nullopt;
}

bool has_factor_five(std::int64_t divisor) { return divisor % 5 == 0; }

// How many bits the constant takes to write down.
double description_bits(const KnownConstant& constant) {
  double bits = std::log2(std::fabs(constant.coefficient) + 1) +
                std::log2(static_cast<double>(constant.divisor));
  if (constant.coefficient != std::round(constant.coefficient)) bits += 12;
  if (constant.pi_power != 0) bits += 2 + 2 * std::fabs(constant.pi_power);
  if (constant.pi_power != std::round(constant.pi_power)) bits += 3;
  if (constant.root != 1) {
    bits += 4 + std::log2(static_cast<double>(constant.root));
  }
  return bits;
}

std::string joined_factors(const std::vector<std::string>& factors) {
  std::string text;
  for (const std::string& factor : factors) {
    text += (text.empty() ? "" : "*") + factor;
  }
  return text;
}

std::string pi_text(double power) {
  if (power == 0.5) return "sqrt(pi)";
  return power == 1 ? "pi" : fmt::format("pi**{}", power);
}

}  // namespace

double KnownConstant::value() const {
  return coefficient * std::pow(std::numbers::pi, pi_power) *
         std::sqrt(static_cast<double>(root)) / static_cast<double>(divisor);
}

std::string KnownConstant::text() const {
  std::vector<std::string> above;
  std::vector<std::string> below;
  if (divisor != 1) below.push_back(fmt::format("{}", divisor));
  if (pi_power > 0) above.push_back(pi_text(pi_power));
  if (pi_power < 0) below.push_back(pi_text(-pi_power));
  if (root != 1) above.push_back(fmt::format("sqrt({})", root));
  if (coefficient != 1 || above.empty()) {
    above.insert(above.begin(), fmt::format("{}", coefficient));
  }
  std::string top = joined_factors(above);
  if (below.empty()) return top;
  const std::string bottom = joined_factors(below);
  return below.size() == 1 ? top + "/" + bottom : top + "/(" + bottom + ")";
}

double simple_number(double value, double tolerance) {
  if (value == 0 || !std::isfinite(value)) return value;
  for (const double divisor : kSimpleDivisors) {
    const double whole = std::round(value * divisor);
    if (whole == 0 || std::fabs(whole) > kMaxSimple) continue;
    if (is_near(value, whole / divisor, tolerance)) return whole / divisor;
  }
  return value;
}

bool is_simple_number(double value) {
  if (value == 0) return true;
  for (const double divisor : kSimpleDivisors) {
    const double whole = std::round(value * divisor);
    if (whole != 0 && std::fabs(whole) <= kMaxSimple &&
        whole / divisor == value) {
      return true;
    }
  }
  return false;
}

std::optional<KnownConstant> recognize_constant(double value,
                                                double tolerance) {
  if (value == 0 || !std::isfinite(value)) return std::nullopt;
  const double size = std::fabs(value);
  std::optional<KnownConstant> best;
  double best_bits = -std::log2(tolerance) - kSpareBits;
  const auto consider = [&](KnownConstant constant) {
    const double bits = description_bits(constant);
    if (bits >= best_bits) return;
    best_bits = bits;
    best = constant;
  };
  for (int half_powers = -10; half_powers <= 10; ++half_powers) {
    const double pi_power = half_powers / 2.0;
    for (const std::int64_t root : {1, 2, 3, 5, 6, 7, 10}) {
      const KnownConstant unit{.pi_power = pi_power, .root = root};
      const double rest = size / unit.value();
      const auto fraction = nearest_fraction(rest, tolerance);
      if (!fraction) continue;
      KnownConstant constant = unit;
      constant.coefficient = fraction->above;
      constant.divisor = fraction->below;
      const auto decimal = short_decimal(rest, tolerance);
      if (decimal && has_factor_five(constant.divisor)) {
        constant.coefficient = *decimal;
        constant.divisor = 1;
      }
      consider(constant);
    }
  }
  if (!best) {
    if (const auto decimal = short_decimal(size, tolerance)) {
      best = KnownConstant{.coefficient = *decimal};
    }
  }
  if (best && value < 0) best->coefficient = -best->coefficient;
  return best;
}

}  // namespace lamarck::formula
