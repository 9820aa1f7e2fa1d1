// An MCP server: one set of handlers for both protocol eras and both
// transports.

#pragma once

#include <chrono>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"
#include "lamarck/net/http_server.h"
#include "lamarck/server/mcp/registry.h"
#include "lamarck/store/journal.h"

namespace lamarck::mcp {

struct McpOptions {
  std::size_t workers = 64;  // Handlers that may block concurrently.
  std::size_t max_message_bytes = std::size_t{4} << 20;
  std::size_t max_depth = 64;   // Nesting of JSON in a message.
  std::size_t page_size = 100;  // Entries per page of a list.
  // Legacy HTTP sessions. Beyond a limit one of the same client is closed, or
  // of the client that has most.
  std::size_t max_sessions = 1'000;
  std::size_t max_sessions_per_address = 250;
  std::size_t max_tasks = 1'000;
  std::string state_key;  // Seals requestState; "" = random for this process.
  // How long active calls may continue after stdin ends or after `stop`.
  std::chrono::milliseconds grace{5'000};
  // Validates results against their output schemas; builds with tests always
  // do.
  bool checks_output = false;
};

// Thread safety: all members may be called from any thread.
class McpServer {
 public:
  // `clock` and `tasks` must outlive the server. Tasks are recorded in `tasks`
  // as runs of kind "task"; if it is null, they last as long as the process.
  // Active tasks of a process that no longer exists are marked as failed.
  static Result<std::unique_ptr<McpServer>> create(Registry registry,
                                                   McpOptions options,
                                                   Clock& clock, Rng rng,
                                                   store::Journal* tasks);
  virtual ~McpServer() = default;

  // Reads one message per line from `in` until it ends or `cancel` is
  // triggered; writes only replies to `out`. Requests that were read before are
  // still answered, within the grace period. `in` and `out` are file
  // descriptors.
  virtual Result<void> serve_stdio(int in, int out,
                                   const CancelToken& cancel) = 0;

  // The Streamable HTTP endpoint: pass it to a net::HttpServer for its path.
  virtual void serve_http(net::HttpRequest request,
                          std::shared_ptr<net::HttpExchange> exchange) = 0;

  // These notify subscribed clients.
  virtual void tools_changed() = 0;
  virtual void prompts_changed() = 0;
  virtual void resources_changed() = 0;
  virtual void resource_updated(std::string_view uri) = 0;
  // Like resource_updated for all URIs that start with `uri` and a slash.
  virtual void resources_updated_below(std::string_view uri) = 0;
  // Returns whether any client subscribed to a resource or listens to their
  // list.
  virtual bool has_subscribers() = 0;

  // Waits for active calls of sessions, ends listening streams gracefully and
  // cancels the rest.
  virtual void stop() = 0;
};

// Rejects requests whose Host or Origin is neither this machine nor in `names`.
// If `token` is not empty, also rejects requests without "Authorization: Bearer
// <token>", except for the path `open_path`.
net::HttpServer::Gate http_gate(std::vector<std::string> names,
                                std::string token, std::string open_path = "");

}  // namespace lamarck::mcp
