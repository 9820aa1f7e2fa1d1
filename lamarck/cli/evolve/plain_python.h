// Rewrites Python formulas for programs that do not use NumPy.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::cli {

// Replaces the NumPy functions in the output of
// `formula::to_python` by built-in functions and the module math:
// np.where(c, a, b) becomes (a if c else b). Prepends `import
// math` if needed. The result parses as the same formula.
std::string plain_python(std::string_view source);

}  // namespace lamarck::cli
