// What Python, C++ and plain formulas write alike.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lamarck/formula/internal/printed.h"

namespace lamarck::formula {

// The number with as few digits as it takes to read it back exactly, and
// always with a point or an exponent. REQUIRES: finite.
std::string exact_number(double value);
// With so many significant digits, and no point if it is whole.
// REQUIRES: finite.
std::string rounded_number(double value, int digits);

// a * b and the like: the right side binds tighter, so that it groups from the
// left.
Printed infix_text(std::string_view word, Rank rank, Printed a, Printed b);
// Neither side is of the same rank.
Printed comparison_text(std::string_view word, Printed a, Printed b);
Printed call_text(std::string_view function, std::span<Printed> arguments);
// A minus before a bare number would become part of it, so that one is put in
// parentheses.
Printed negated_text(Printed a);

// " < ", " <= ", " == " or " != "; empty for other operations.
std::string_view comparison_word(Op op);

}  // namespace lamarck::formula
