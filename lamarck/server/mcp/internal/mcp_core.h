// The protocol methods, independent of the transport.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/rng.h"
#include "lamarck/server/mcp/internal/mcp_call.h"
#include "lamarck/server/mcp/internal/mcp_catalog.h"
#include "lamarck/server/mcp/internal/mcp_hub.h"
#include "lamarck/server/mcp/internal/mcp_runner.h"
#include "lamarck/server/mcp/internal/mcp_session.h"
#include "lamarck/server/mcp/internal/mcp_state_seal.h"
#include "lamarck/server/mcp/internal/mcp_tasks.h"
#include "lamarck/server/mcp/mcp_server.h"

namespace lamarck::mcp {

// Thread safety: all members may be called from any thread.
class McpCore {
 public:
  static Result<std::unique_ptr<McpCore>> create(Registry registry,
                                                 McpOptions options,
                                                 Clock& clock, Rng rng,
                                                 store::Journal* journal);
  ~McpCore();
  McpCore(const McpCore&) = delete;
  McpCore& operator=(const McpCore&) = delete;

  // Accepts a request. The reply goes to `sink`, possibly before this returns.
  // The transport cancels the call when the client disconnects. `headers` is
  // null unless the transport is HTTP; `session` may be null.
  std::shared_ptr<McpCall> accept_modern(McpMessage message,
                                         const net::HttpHeaders* headers,
                                         std::shared_ptr<McpReplySink> sink,
                                         std::shared_ptr<McpSession> session);
  std::shared_ptr<McpCall> accept_legacy(
      McpMessage message, std::shared_ptr<McpReplySink> sink,
      const std::shared_ptr<McpSession>& session);
  // Handles `initialize`: negotiates the version for the session and returns
  // the reply.
  std::string accept_initialize(const McpMessage& message,
                                const std::shared_ptr<McpSession>& session);
  // Accepts a notification or a response, neither of which gets a reply.
  void accept_quietly(const McpMessage& message, McpSession& session);

  const McpOptions& options() const { return options_; }
  McpHub& hub() { return hub_; }
  CancelToken cancel() const { return root_.token(); }
  const Clock& clock() const { return clock_; }
  // 32 unpredictable hex digits.
  std::string next_secret(std::string_view purpose);

  void stop();

 private:
  McpCore(std::unique_ptr<const McpCatalog> catalog, McpOptions options,
          Clock& clock, Rng rng, store::Journal* journal);

  // Checks version, headers, method and capabilities of a modern request, in
  // the order that the specification gives. Null if it was rejected.
  const McpMethodRow* check_modern(McpCall& call,
                                   const net::HttpHeaders* headers) const;
  void dispatch(const std::shared_ptr<McpCall>& call, const McpMethodRow& row,
                const net::HttpHeaders* headers);
  void finish_empty(McpCall& call) const;

  void list(const std::shared_ptr<McpCall>& call, McpMethod method);
  void call_tool(const std::shared_ptr<McpCall>& call,
                 const net::HttpHeaders* headers);
  void read_resource(const std::shared_ptr<McpCall>& call);
  void render_prompt(const std::shared_ptr<McpCall>& call);
  void complete_argument(const std::shared_ptr<McpCall>& call);
  void subscribe(const std::shared_ptr<McpCall>& call);
  void unsubscribe(McpCall& call);
  void set_log_level(McpCall& call);
  void listen(const std::shared_ptr<McpCall>& call);
  void read_task(const std::shared_ptr<McpCall>& call);
  void update_task(const std::shared_ptr<McpCall>& call);
  void cancel_task(const std::shared_ptr<McpCall>& call);
  // check_address() returns why a client cannot subscribe to the URI. It blocks
  // only if is_looked_up().
  bool is_looked_up(const std::string& uri) const;
  std::optional<Failure> check_address(Era era, const std::string& uri) const;
  // Restores the answers and the state of the previous round; false if they
  // were rejected.
  bool take_answers(McpCall& call) const;

  // Set at construction.
  const McpOptions options_;
  const std::unique_ptr<const McpCatalog> catalog_;
  Clock& clock_;
  const std::string secret_;
  std::atomic<std::uint64_t> secrets_given_ = 0;
  CancelSource root_;
  StateSeal seal_;
  McpHub hub_;
  McpTasks tasks_;
  McpRunner runner_;
  McpWorkers workers_;  // Last, so joined before what its work uses.
};

}  // namespace lamarck::mcp
