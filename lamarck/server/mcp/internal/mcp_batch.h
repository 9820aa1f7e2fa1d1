// Several messages in one array, as 2025-03-26 had them.

#pragma once

#include <memory>

#include "lamarck/base/json.h"
#include "lamarck/server/mcp/internal/mcp_core.h"

namespace lamarck::mcp {

// Answers through `sink`: one array of replies when all are there, an error if
// the session's version has no batches, or nothing if there were no requests.
void accept_batch(McpCore& core, Json batch,
                  const std::shared_ptr<McpReplySink>& sink,
                  const std::shared_ptr<McpSession>& session);

}  // namespace lamarck::mcp
