// A formula as a person or a language model writes it: a Python function with
// numpy, which is parsed and never executed.
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
  std::vector<std::string> inputs;  // Names in signature order.
  Expression body;
  std::string docstring;
  // Names of the params if the source named them, as infix formulas do: for
  // example {"a", "b"}. Otherwise empty.
  std::vector<std::string> param_names;
};

struct ParseLimits {
  std::size_t source_bytes = 64 * 1024;
  std::size_t nodes = 10'000;      // After loops and helpers are expanded.
  std::size_t depth = 200;         // Nesting of expressions in the source.
  std::size_t loop_steps = 1'000;  // Over all loops.
  std::size_t params = 256;
};

// Parses the last top-level function called `name`, or the last function if
// none has that name. Calls to other functions of the source are inlined;
// `import` lines are ignored. If the last argument is called `params`, it is
// the vector of constants. Errors name the line, the column and the unsupported
// construct.
Result<Formula> parse_python(std::string_view source,
                             std::string_view name = "equation",
                             ParseLimits limits = {});

// Parses "a*x + b": names in `inputs` are columns, pi and e are numbers, and
// all other names are params in order of appearance. `^` means `**`. A column
// whose name is not an identifier is called as `to_infix` prints it.
Result<Formula> parse_infix(std::string_view text,
                            const std::vector<std::string>& inputs,
                            ParseLimits limits = {});

// Prints a function that `parse_python` reads back as the same expression.
// Shared subexpressions become assignments where that is shorter. If `params`
// is given, its numbers replace the params; it must have one for each.
std::string to_python(const Formula& formula,
                      const std::vector<double>* params = nullptr);
// For people: prints numbers with `digits` significant digits (17 is exact).
std::string to_infix(const Formula& formula,
                     const std::vector<double>* params = nullptr,
                     int digits = 6);
std::string to_latex(const Formula& formula,
                     const std::vector<double>* params = nullptr,
                     int digits = 6);
// Prints a complete function `double name(double x, ..., const double*
// params)`.
std::string to_cpp(const Formula& formula,
                   const std::vector<double>* params = nullptr);

}  // namespace lamarck::formula
