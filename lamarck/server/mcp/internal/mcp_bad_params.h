// Refusals of params.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lamarck/server/mcp/internal/mcp_message.h"

namespace lamarck::mcp {

inline Failure bad_params(std::string message) {
  return {kInvalidParams, std::move(message), ""};
}

// The params lack `name`, which is `what`: "a string".
inline Failure missing_param(std::string_view name, std::string_view what) {
  return bad_params("The params lack " + std::string(name) + ", " +
                    std::string(what) + ".");
}

}  // namespace lamarck::mcp
