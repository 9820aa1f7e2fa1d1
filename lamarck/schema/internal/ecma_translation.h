// Translates ECMA-262 regular expressions (Unicode mode) into RE2 syntax.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::schema {

// An expression that must match, or must not match.
struct PatternPart {
  std::string expression;
  bool is_wanted = true;
};

// Translates `pattern` into parts that are equivalent to it: a text matches if
// it satisfies all parts. Look-ahead is supported right after a leading '^',
// where it becomes a part. The error names what RE2 cannot express: other
// look-around, back references, unknown properties.
Result<std::vector<PatternPart>> translate_pattern(std::string_view pattern);

}  // namespace lamarck::schema
