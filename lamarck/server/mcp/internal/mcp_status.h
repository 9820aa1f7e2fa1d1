// Maps JSON-RPC errors to HTTP status codes.

#pragma once

#include "lamarck/server/mcp/call_context.h"

namespace lamarck::mcp {

// The part of the request that caused the error.
enum class FailureOrigin : std::uint8_t {
  Envelope,  // Version, capabilities or headers.
  Request,   // The method and its params.
};

int http_status(Era era, int code, FailureOrigin origin);

}  // namespace lamarck::mcp
