// The stdio transport: one message per line.

#pragma once

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/server/mcp/internal/mcp_core.h"

namespace lamarck::mcp {

// Serves until `in` ends, `out` breaks, `cancel` is triggered or the core
// stops. Calls that are active when `in` ends have McpOptions::grace to finish
// and are then cancelled.
Result<void> serve_lines(McpCore& core, int in, int out,
                         const CancelToken& cancel);

}  // namespace lamarck::mcp
