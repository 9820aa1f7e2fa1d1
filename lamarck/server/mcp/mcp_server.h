// The protocol core: one set of handlers for both eras and both transports.

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
  std::size_t workers = 64;  // Handlers that may wait at a time.
  std::size_t max_message_bytes = std::size_t{4} << 20;
  std::size_t max_depth = 64;   // Of a message's JSON.
  std::size_t page_size = 100;  // Of the lists.
  std::size_t max_sessions =
      1'000;  // Legacy HTTP sessions; the oldest idle goes.
  std::size_t max_tasks = 1'000;
  std::string state_key;  // Seals requestState; "" = random for this process.
  // How long calls under way may go on once stdin has ended, or after `stop`.
  std::chrono::milliseconds grace{5'000};
  // Results are held against their output schemas; builds with tests always do.
  bool checks_output = false;
};

// Thread safety: any member from any thread.
class McpServer {
 public:
  // `clock` outlives the server; so does `tasks`, where tasks are recorded
  // (runs of kind "task"); without it they last as long as the process. Tasks
  // found there that were under way are failed, in a sentence that says why.
  static Result<std::unique_ptr<McpServer>> create(Registry registry,
                                                   McpOptions options,
                                                   Clock& clock, Rng rng,
                                                   store::Journal* tasks);
  virtual ~McpServer() = default;

  // One message per line from `in`, until its end or `cancel`; answers on
  // `out`, and nothing else. What was read by then is still answered, within
  // the grace. `in` and `out` are file descriptors.
  virtual Result<void> serve_stdio(int in, int out,
                                   const CancelToken& cancel) = 0;

  // The Streamable HTTP endpoint: pass it to a net::HttpServer for its path.
  virtual void serve_http(net::HttpRequest request,
                          std::shared_ptr<net::HttpExchange> exchange) = 0;

  // Tells those who listen.
  virtual void tools_changed() = 0;
  virtual void prompts_changed() = 0;
  virtual void resources_changed() = 0;
  virtual void resource_updated(std::string_view uri) = 0;
  // Likewise for all whose address goes on after `uri` and a slash.
  virtual void resources_updated_below(std::string_view uri) = 0;
  // Whether anybody has subscribed to a resource or listens to their list.
  virtual bool has_subscribers() = 0;

  // Ends listening streams gracefully, cancels what is under way.
  virtual void stop() = 0;
};

// Refuses a request whose Host or Origin is neither this machine nor one of
// `names`, and, if `token` is not empty, one without "Authorization: Bearer
// <token>", which only the path `open_path` does without.
net::HttpServer::Gate http_gate(std::vector<std::string> names,
                                std::string token, std::string open_path = "");

}  // namespace lamarck::mcp
