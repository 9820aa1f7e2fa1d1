// One connected client: a process on stdio, or a legacy session over HTTP.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/server/mcp/call_context.h"
#include "lamarck/server/mcp/internal/mcp_message.h"

namespace lamarck::mcp {

class McpCall;

// Thread safety: all members may be called from any thread.
class McpSession {
 public:
  // `push` sends messages that do not belong to a call.
  McpSession(std::string id, std::function<void(std::string)> push);

  const std::string& id() const { return id_; }
  void push(std::string message) const { push_(std::move(message)); }

  // The result of `initialize`; the version is "" before.
  void negotiate(std::string version, ClientCapabilities client);
  std::string version() const;
  ClientCapabilities client() const;
  // The client accepts unsolicited messages from now on.
  void set_ready();
  bool is_ready() const;

  std::optional<LogLevel> log_level() const;
  void set_log_level(LogLevel level);
  // Returns false if there are already kMaxSubscriptions others.
  static constexpr std::size_t kMaxSubscriptions = 1'000;
  bool subscribe(const std::string& uri);
  void unsubscribe(const std::string& uri);
  bool is_subscribed(const std::string& uri) const;
  bool has_subscriptions() const;
  std::set<std::string> subscriptions() const;

  // Active calls. `begin` returns false if an active call has the same id.
  bool begin(const std::shared_ptr<McpCall>& call);
  // Frees the id of the call; `settle` follows once its reply is written.
  void end(const McpCall& call);
  void settle();
  void cancel(const std::string& id, const std::string& reason);
  std::size_t call_count() const;
  // Waits until no call is active and every reply is written; returns false on
  // timeout.
  bool wait_idle(std::chrono::milliseconds at_most) const;
  // Cancels every call. Quiet sends no replies, because the client is gone;
  // Told sends an error with the reason to every waiting call.
  enum class Farewell : std::uint8_t { Quiet, Told };
  void close(const std::string& reason, Farewell farewell = Farewell::Quiet);
  bool is_closed() const;

  // Requests from the server to the client: open_request() returns a new id,
  // answer() stores the response, and take_answers() returns those of the
  // requests `ids` in the order of arrival. wait_answers() returns when there
  // is one, the call is cancelled, the session closes or the time is up.
  // withdraw_request() tells the client that an unanswered request is
  // cancelled.
  std::int64_t open_request();
  void withdraw_request(std::int64_t id, const std::string& reason);
  void answer(const McpMessage& response);
  struct ClientAnswer {
    std::int64_t id = 0;
    std::shared_ptr<const Json> response;
  };
  std::vector<ClientAnswer> take_answers(const std::set<std::int64_t>& ids);
  void wait_answers(const std::set<std::int64_t>& ids,
                    const CancelToken& cancel,
                    std::chrono::milliseconds at_most);

 private:
  const std::string id_;
  const std::function<void(std::string)> push_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  // Guarded by mutex_.
  std::string version_;
  ClientCapabilities client_;
  bool is_ready_ = false;
  bool is_closed_ = false;
  LogLevel log_level_ = LogLevel::Info;
  std::set<std::string> subscriptions_;
  std::map<std::string, std::shared_ptr<McpCall>> calls_;
  std::size_t unsettled_ = 0;  // Calls whose reply is not written yet.
  std::int64_t next_request_ = 1;
  std::set<std::int64_t> requests_;    // Without an answer.
  std::vector<ClientAnswer> answers_;  // Not taken yet, in order of arrival.
};

}  // namespace lamarck::mcp
