// Parses the functions and statements of a Python source.

#pragma once

#include "lamarck/base/result.h"
#include "lamarck/formula/internal/syntax.h"
#include "lamarck/formula/internal/token_cursor.h"

namespace lamarck::formula {

// Errors name constructs that formulas do not support. `max_depth` limits the
// nesting of blocks and brackets together.
Result<ModuleSyntax> read_module(TokenCursor& cursor, std::size_t max_depth);

}  // namespace lamarck::formula
