// Units of measurement: SI units with prefixes, products and powers.

#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::formula {

// The exponents of m, kg, s, A, K, mol and cd. The size of a unit does not
// matter here: km and m have the same dimension.
inline constexpr std::size_t kBaseUnits = 7;
using Dimension = std::array<double, kBaseUnits>;

// Reads text such as "kg*m/s^2", "km/h", "1/K",
// "N*m**0.5", "m^(1/2)" or "1" for a pure number. An error names the part that
// is not a unit.
Result<Dimension> parse_unit(std::string_view text);

// Returns text such as "kg*m/s^2", or "1".
std::string unit_text(const Dimension& dimension);

}  // namespace lamarck::formula
