// The error of a mistake in using a graph: a code, the kind by which tests and
// callers know it, and a sentence with the remedy.

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
