// The functions and constants of numpy and Python that formulas may use.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/formula/expression.h"

namespace lamarck::formula {

struct KnownFunction {
  std::string_view name;  // Without "np.".
  std::size_t arity;
  NodeIndex (*build)(ExpressionBuilder&, std::span<const NodeIndex>);
};

// Functions composed of several operations, such as clip and heaviside.
std::span<const KnownFunction> composed_functions();

// Finds an operation by any of its names, without "np.": sin, absolute, asin.
std::optional<Op> op_called(std::string_view name);
// Null if there is none.
const KnownFunction* composed_function(std::string_view name);
// pi, e, tau, inf, nan, euler_gamma.
std::optional<double> known_number(std::string_view name);

// What to write instead of a function that formulas cannot have, such as sum;
// empty if there is no advice.
std::string_view advice_instead_of(std::string_view name);

// All names that can be called, for suggestions.
std::vector<std::string> callable_names();

}  // namespace lamarck::formula
