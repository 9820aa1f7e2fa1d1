// Regular expressions of ECMA-262, Unicode mode, in the words of RE2.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::schema {

// An expression that must, or must not, be found.
struct PatternPart {
  std::string expression;
  bool is_wanted = true;
};

// Parts that together say what `pattern` says: a match is one of all parts.
// Look-ahead is understood right behind a leading '^', where it is a part of
// its own. The error names what cannot be expressed: other look-around, back
// references, properties that RE2 does not know.
Result<std::vector<PatternPart>> translate_pattern(std::string_view pattern);

}  // namespace lamarck::schema
