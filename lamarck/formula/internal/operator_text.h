// Helpers shared by the Python, C++ and infix printers.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lamarck/formula/internal/printed.h"

namespace lamarck::formula {

// The shortest text that reads back as the same number, always with a point or
// an exponent. REQUIRES: value is finite.
std::string exact_number(double value);
// The number with `digits` significant digits, without a point if it is an
// integer. REQUIRES: value is finite.
std::string rounded_number(double value, int digits);

// A left-associative operator, such as a * b: a right side of the same rank
// gets parentheses.
Printed infix_text(std::string_view word, Rank rank, Printed a, Printed b);
// A comparison; both sides get parentheses if they are comparisons, because a <
// b < c would be a chain.
Printed comparison_text(std::string_view word, Printed a, Printed b);
Printed call_text(std::string_view function, std::span<Printed> arguments);
// A minus sign. A bare number gets parentheses, because the parser would make
// the sign part of the constant.
Printed negated_text(Printed a);

// " < ", " <= ", " == " or " != "; empty for other operations.
std::string_view comparison_word(Op op);

}  // namespace lamarck::formula
