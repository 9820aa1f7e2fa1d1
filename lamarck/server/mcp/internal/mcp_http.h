// The Streamable HTTP endpoint for both eras.

#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "lamarck/net/http_server.h"
#include "lamarck/server/mcp/internal/mcp_core.h"
#include "lamarck/server/mcp/internal/mcp_http_sessions.h"

namespace lamarck::mcp {

// Thread safety: any member from any thread. Only `let_finish` blocks.
class McpHttp {
 public:
  // `core` must outlive this; `keeper` must outlive the core.
  McpHttp(McpCore& core, StreamKeeper& keeper);

  void serve(const net::HttpRequest& request,
             const std::shared_ptr<net::HttpExchange>& exchange);
  // Rejects further requests and waits for those of sessions.
  void let_finish(std::chrono::milliseconds grace);
  // Ends the sessions.
  void stop();

 private:
  using Exchange = std::shared_ptr<net::HttpExchange>;

  void post(const net::HttpRequest& request, const Exchange& exchange);
  void post_batch(const net::HttpRequest& request, Json batch,
                  const Exchange& exchange);
  void post_modern(const net::HttpRequest& request, McpMessage message,
                   const Exchange& exchange);
  void post_initialize(const net::HttpRequest& request,
                       const McpMessage& message, const Exchange& exchange);
  void post_session(const net::HttpRequest& request, McpMessage message,
                    const Exchange& exchange);
  void open_stream(const net::HttpRequest& request, const Exchange& exchange);
  void close_session(const net::HttpRequest& request, const Exchange& exchange);
  // The session of a legacy request; null if the request was rejected.
  std::shared_ptr<McpHttpSession> find_session(const net::HttpRequest& request,
                                               const Exchange& exchange,
                                               std::string_view message_id,
                                               int status_without_id);

  McpCore& core_;
  StreamKeeper& keeper_;
  McpHttpSessions sessions_;
  std::atomic<bool> is_ending_ = false;
};

}  // namespace lamarck::mcp
