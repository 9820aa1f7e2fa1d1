// The units of --units.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/formula/dimensions.h"

namespace lamarck::cli {

// Reads text such as "x=m,t=s,v=m/s,c=m/s": a unit for each input and for the
// target. A name that is not a column is a constant of the law with that unit.
// `inputs` and `target` are names of columns; `others` are columns that are not
// used, whose units are ignored. An error says what is missing or wrong, also
// if no product of powers of the inputs has the unit of the target.
Result<formula::Dimensions> read_units(const std::string& text,
                                       const std::vector<std::string>& inputs,
                                       const std::string& target,
                                       const std::vector<std::string>& others);

}  // namespace lamarck::cli
