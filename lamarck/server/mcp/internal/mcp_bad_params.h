// Errors for invalid params (-32602).

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lamarck/server/mcp/internal/mcp_message.h"

namespace lamarck::mcp {

inline Failure bad_params(std::string message) {
  return {kInvalidParams, std::move(message), ""};
}

// `what` describes the missing param, such as "a string".
inline Failure missing_param(std::string_view name, std::string_view what) {
  return bad_params("The params must have " + std::string(name) + ", " +
                    std::string(what) + ".");
}

}  // namespace lamarck::mcp
