// How messages reach an MCP server and its replies come back.

#pragma once

#include <memory>

#include "lamarck/agent/mcp_client.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::agent::internal {

// Thread safety: all members may be called from any thread.
class McpTransport {
 public:
  virtual ~McpTransport() = default;

  // Sends a request and waits for the message with its result or error. Fails
  // with Timeout, Cancelled or Unavailable; with NotFound if the server has
  // forgotten the session, so that it did not execute the request.
  virtual Result<Json> request(const Json& message,
                               const CancelToken& cancel) = 0;
  // Sends a message that has no reply.
  virtual void notify(const Json& message) = 0;
  // Tells which version of the protocol was agreed on.
  virtual void agree(const std::string& /*version*/) {}
};

// Starts the command of the options.
Result<std::unique_ptr<McpTransport>> open_stdio_transport(
    const McpServerOptions& options);
// Streamable HTTP, to the URL of the options.
Result<std::unique_ptr<McpTransport>> open_http_transport(
    const McpServerOptions& options);

// What a client without further abilities replies to a request of the server.
Json answer_to_server(const Json& request);
Error late_reply(const McpServerOptions& options);

}  // namespace lamarck::agent::internal
