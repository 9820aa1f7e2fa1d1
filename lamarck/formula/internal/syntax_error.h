// Errors with a position in the source.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/error.h"

namespace lamarck::formula {

// Both count from 1; columns count bytes. One-line formulas have line 0.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// "Line 3, column 5: <message>", with the fields "line" and "column".
Error error_at(Position where, const std::string& message);
// The same, with the code Unsupported, for valid Python that formulas do not
// support: "... <what> is not supported; <instead>."
Error unsupported_at(Position where, std::string_view what,
                     std::string_view instead);

}  // namespace lamarck::formula
