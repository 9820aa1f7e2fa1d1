// Turns an exception of a handler into a JSON-RPC error.

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
