// One event stream of a legacy session, which a client can leave and resume.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/net/http_server.h"
#include "lamarck/server/mcp/internal/mcp_sse.h"

namespace lamarck::mcp {

// The id of an event: its stream and its number in the stream.
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;

  std::string to_string() const;  // "3_17".
  static std::optional<EventId> parse(std::string_view text);

  friend bool operator==(const EventId&, const EventId&) = default;
};

// Thread safety: all members may be called from any thread.
class McpEventStream : public std::enable_shared_from_this<McpEventStream> {
 public:
  // Limits of the events kept for clients that reconnect; older ones are
  // dropped. Before a client has connected, nothing is kept.
  static constexpr std::size_t kMaxEvents = 256;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  // `keeper` must outlive the stream.
  McpEventStream(std::uint64_t number, StreamKeeper& keeper);

  // Sends to `exchange` from now on, starting with the kept events after
  // `after_number`, if given; ends the previous exchange. A primed stream
  // starts with an event that has only an id.
  void attach(const std::shared_ptr<net::HttpExchange>& exchange,
              std::optional<std::uint64_t> after_number, bool is_primed);
  void send(std::string_view message);
  // Ends the exchange; the stream continues.
  void pause();
  // Ends the stream.
  void end();

  bool is_over() const;
  std::size_t kept_bytes() const;

 private:
  struct Event {
    std::uint64_t number;
    std::string text;
  };
  void keep(Event event);

  const std::uint64_t number_;
  StreamKeeper& keeper_;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::shared_ptr<net::HttpExchange> exchange_;  // Null while detached.
  std::deque<Event> events_;
  std::size_t bytes_ = 0;
  std::uint64_t last_number_ = 0;
  bool had_client_ = false;
  bool is_over_ = false;
};

}  // namespace lamarck::mcp
