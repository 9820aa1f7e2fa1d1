// A numeric program as a person or a model writes it: a function of Python and
// numpy, read and never run.
//
//   def equation(x, v, params):
//       """Acceleration of the oscillator."""
//       spring = -params[0] * x
//       return spring - params[1] * np.where(v > 0, v, 0.5 * v)

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/formula/expression.h"

namespace lamarck::formula {

struct Formula {
  std::string name = "equation";
  std::vector<std::string> inputs;  // Names, in the order of the signature.
  Expression body;
  std::string docstring;
  // Of the params, if the text gave names to them (as an infix one does): for
  // example {"a", "b"}; else empty.
  std::vector<std::string> param_names;
};

struct ParseLimits {
  std::size_t source_bytes = 64 * 1024;
  std::size_t nodes = 10'000;      // After loops and helpers are unrolled.
  std::size_t depth = 200;         // Of nested expressions in the text.
  std::size_t loop_steps = 1'000;  // Of all loops together.
  std::size_t params = 256;
};

// The last top-level function of the text whose name is `name`, or the last
// one at all if there is none of that name; helper functions before it are
// inlined, `import` lines are ignored. If the last argument is called `params`
// it is the vector of constants. Errors say line, column and what is not
// supported.
Result<Formula> parse_python(std::string_view source,
                             std::string_view name = "equation",
                             ParseLimits limits = {});

// "a*x + b": names among `inputs` are columns, pi and e are numbers, all other
// names are params in the order of their appearance. `^` is `**`. A column
// whose name is no identifier is known as `to_infix` writes it.
Result<Formula> parse_infix(std::string_view text,
                            const std::vector<std::string>& inputs,
                            ParseLimits limits = {});

// A function that `parse_python` reads back as the same expression. Shared
// subexpressions become assignments where that is shorter. With `params` given,
// numbers stand in their place.
std::string to_python(const Formula& formula,
                      const std::vector<double>* params = nullptr);
// For people: numbers with `digits` significant digits (17 to keep them all).
std::string to_infix(const Formula& formula,
                     const std::vector<double>* params = nullptr,
                     int digits = 6);
std::string to_latex(const Formula& formula,
                     const std::vector<double>* params = nullptr,
                     int digits = 6);
// A complete function `double name(double x, ..., const double* params)`.
std::string to_cpp(const Formula& formula,
                   const std::vector<double>* params = nullptr);

}  // namespace lamarck::formula
