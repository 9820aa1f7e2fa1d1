// The outermost place of a handler: what it throws becomes an error.

#pragma once

#include <exception>
#include <string>
#include <utility>

#include "lamarck/server/mcp/outcome.h"

namespace lamarck::mcp {

template <class F>
Outcome guarded(F&& handler) {
  try {
    return std::forward<F>(handler)();
  } catch (const std::exception& error) {
    return Failure{-32603, std::string("Internal error: ") + error.what(), ""};
  }
}

}  // namespace lamarck::mcp
