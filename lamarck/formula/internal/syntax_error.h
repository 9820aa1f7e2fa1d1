// Errors that say where in the text they are.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/error.h"

namespace lamarck::formula {

// Both count from 1; columns in bytes. A text of one line has line 0.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// "Line 3, column 5: <message>", with the fields "line" and "column".
Error error_at(Position where, const std::string& message);
// Likewise for what is Python but outside the language of formulas:
// "... <what> is not supported; <instead>."
Error unsupported_at(Position where, std::string_view what,
                     std::string_view instead);

}  // namespace lamarck::formula
