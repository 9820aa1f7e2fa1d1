// Formulas as MathML, which browsers render.

#pragma once

#include <string>
#include <vector>

#include "lamarck/formula/formula.h"

namespace lamarck::report {

// Returns a <math> element for `left` = `formula`, with fractions, powers and
// roots. Parameters are replaced by `params`; names are escaped.
//
// REQUIRES: `params` has a value for every parameter of the formula.
std::string to_mathml(const std::string& left, const formula::Formula& formula,
                      const std::vector<double>& params);

}  // namespace lamarck::report
