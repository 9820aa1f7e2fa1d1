// The HTTP status that goes with an error of JSON-RPC.

#pragma once

#include "lamarck/server/mcp/call_context.h"

namespace lamarck::mcp {

// Where an error was found.
enum class FailureOrigin : std::uint8_t {
  Envelope,  // Before it was known what is asked for.
  Request,   // In what was asked for.
};

int http_status(Era era, int code, FailureOrigin origin);

}  // namespace lamarck::mcp
