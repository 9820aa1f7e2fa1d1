// A formula as browsers draw it.

#pragma once

#include <string>
#include <vector>

#include "lamarck/formula/formula.h"

namespace lamarck::report {

// A <math> element that says `left` = the formula, with fractions, powers and
// roots; words are escaped. REQUIRES: a number for every param.
std::string to_mathml(const std::string& left, const formula::Formula& formula,
                      const std::vector<double>& params);

}  // namespace lamarck::report
