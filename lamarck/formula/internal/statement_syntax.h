// Reads the functions and statements of a Python text.

#pragma once

#include "lamarck/base/result.h"
#include "lamarck/formula/internal/syntax.h"
#include "lamarck/formula/internal/token_cursor.h"

namespace lamarck::formula {

// Errors name what is not part of the language. `most_depth` counts blocks and
// brackets alike.
Result<ModuleSyntax> read_module(TokenCursor& cursor, std::size_t most_depth);

}  // namespace lamarck::formula
