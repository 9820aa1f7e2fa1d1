// JSON-RPC batches, which only protocol version 2025-03-26 has.

#pragma once

#include <memory>

#include "lamarck/base/json.h"
#include "lamarck/server/mcp/internal/mcp_core.h"

namespace lamarck::mcp {

// Answers through `sink` with one array once all replies are complete, with an
// error if the session's version has no batches, or not at all if the batch has
// no requests.
void accept_batch(McpCore& core, Json batch,
                  const std::shared_ptr<McpReplySink>& sink,
                  const std::shared_ptr<McpSession>& session);

}  // namespace lamarck::mcp
