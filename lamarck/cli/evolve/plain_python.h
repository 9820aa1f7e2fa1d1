// Formulas for programs that compute with single numbers and without numpy.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::cli {

// What `formula::to_python` gave, with functions of numpy replaced by those of
// Python itself and its module math: np.where(c, a, b) is (a if c else b). An
// import of math stands before it where it is needed. Reads back as the same
// formula.
std::string plain_python(std::string_view source);

}  // namespace lamarck::cli
