// The transport of a client that started us: one message per line.

#pragma once

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/server/mcp/internal/mcp_core.h"

namespace lamarck::mcp {

// Until the end of `in`, a broken `out`, `cancel` or the core's end. Calls that
// are under way at the end of `in` get a moment to answer, then are cancelled.
Result<void> serve_lines(McpCore& core, int in, int out,
                         const CancelToken& cancel);

}  // namespace lamarck::mcp
