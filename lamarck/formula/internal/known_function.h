// The functions and numbers that a text may use by name: numpy's and Python's.

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

// Those made of several operations, such as clip and heaviside.
std::span<const KnownFunction> composed_functions();

// An operation by any of its names: sin, np.abs's absolute, arcsin's asin.
std::optional<Op> op_called(std::string_view name);
const KnownFunction* composed_function(std::string_view name);
// pi, e, tau, inf, nan, euler_gamma.
std::optional<double> known_number(std::string_view name);

// What to write instead of a function that a formula cannot have, such as sum;
// empty if there is no advice.
std::string_view advice_instead_of(std::string_view name);

// All names that can be called, for suggestions.
std::vector<std::string> callable_names();

}  // namespace lamarck::formula
