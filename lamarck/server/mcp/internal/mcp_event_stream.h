// One stream of a legacy session, which a client may leave and come back to.

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

// The id of an event: which stream, and its number there.
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;

  std::string to_string() const;  // "3_17".
  static std::optional<EventId> parse(std::string_view text);

  friend bool operator==(const EventId&, const EventId&) = default;
};

// Thread safety: any member from any thread.
class McpEventStream : public std::enable_shared_from_this<McpEventStream> {
 public:
  // Kept for those who come back; older ones are forgotten.
  static constexpr std::size_t kMaxEvents = 256;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  // `keeper` outlives it.
  McpEventStream(std::uint64_t number, StreamKeeper& keeper);

  // Sends there from now on, beginning with the kept events after `number`, if
  // there is one; a former exchange is ended. A primed stream begins with an
  // event that carries only an id.
  void attach(const std::shared_ptr<net::HttpExchange>& exchange,
              std::optional<std::uint64_t> after_number, bool is_primed);
  void send(std::string_view message);
  // Ends the exchange; the stream goes on.
  void pause();
  // Nothing comes any more.
  void end();

  bool is_over() const;

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
  std::shared_ptr<net::HttpExchange> exchange_;  // Null while nobody listens.
  std::deque<Event> events_;
  std::size_t bytes_ = 0;
  std::uint64_t last_number_ = 0;
  bool is_over_ = false;
};

}  // namespace lamarck::mcp
