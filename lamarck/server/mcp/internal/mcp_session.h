// One client that stays: a process on stdio, or a legacy session over HTTP.

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

#include "lamarck/server/mcp/call_context.h"
#include "lamarck/server/mcp/internal/mcp_message.h"

namespace lamarck::mcp {

class McpCall;

// Thread safety: any member from any thread.
class McpSession {
 public:
  // `push` sends what belongs to no call.
  McpSession(std::string id, std::function<void(std::string)> push);

  const std::string& id() const { return id_; }
  void push(std::string message) const { push_(std::move(message)); }

  // What `initialize` agreed on; a version is "" before.
  void negotiate(std::string version, ClientCapabilities client);
  std::string version() const;
  ClientCapabilities client() const;
  // Unsolicited messages are welcome from then on.
  void set_ready();
  bool is_ready() const;

  std::optional<LogLevel> log_level() const;
  void set_log_level(LogLevel level);
  void subscribe(const std::string& uri);
  void unsubscribe(const std::string& uri);
  bool is_subscribed(const std::string& uri) const;
  bool has_subscriptions() const;
  std::set<std::string> subscriptions() const;

  // Calls under way. `begin` returns false if one has that id already.
  bool begin(const std::shared_ptr<McpCall>& call);
  // Its id is free again; `settle` follows when its reply is out.
  void end(const McpCall& call);
  void settle();
  void cancel(const std::string& id, const std::string& reason);
  std::size_t call_count() const;
  // Waits until there are none and every reply is out; returns whether that is
  // so.
  bool wait_idle(std::chrono::milliseconds at_most) const;
  // Cancels every call, and asks nobody any more. Quietly: nobody is there to
  // read; told: those who wait get an error that gives the reason.
  enum class Farewell : std::uint8_t { Quiet, Told };
  void close(const std::string& reason, Farewell farewell = Farewell::Quiet);
  bool is_closed() const;

  // Requests of ours: the id of a new one; its response; and the wait for it,
  // which gives null when it was cancelled, the session closed or the time is
  // over. One that is not waited for any more is withdrawn: the client is told
  // to stop.
  std::int64_t open_request();
  void withdraw_request(std::int64_t id, const std::string& reason);
  void answer(const McpMessage& response);
  std::shared_ptr<const Json> wait_answer(std::int64_t id,
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
  std::size_t unsettled_ = 0;  // Ended, with the reply still to be written.
  std::int64_t next_request_ = 1;
  std::map<std::int64_t, std::shared_ptr<const Json>> requests_;
};

}  // namespace lamarck::mcp
