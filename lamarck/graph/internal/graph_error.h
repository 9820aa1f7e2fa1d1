// The error for wrong use of a graph: a code, a `kind` that tests and callers
// can compare, and a sentence that states the remedy.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/error.h"

namespace lamarck {

[[noreturn]] inline void throw_graph_error(ErrorCode code,
                                           std::string_view kind,
                                           const std::string& message) {
  throw LogicError(Error(code, message, {{"kind", std::string(kind)}}));
}

}  // namespace lamarck
