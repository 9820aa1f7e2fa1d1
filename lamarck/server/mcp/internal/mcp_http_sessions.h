// Legacy sessions over HTTP.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "lamarck/server/mcp/internal/mcp_core.h"
#include "lamarck/server/mcp/internal/mcp_event_stream.h"

namespace lamarck::mcp {

// Thread safety: all members may be called from any thread.
class McpHttpSession {
 public:
  // Ended streams that a client can still resume.
  static constexpr std::size_t kMaxStreams = 64;

  McpHttpSession(std::string id, StreamKeeper& keeper);

  const std::shared_ptr<McpSession>& session() const { return session_; }
  // Returns whether clients of this version can resume a stream.
  bool is_resumable() const;

  // The stream of messages that do not belong to a call.
  const std::shared_ptr<McpEventStream>& own_stream() const {
    return own_stream_;
  }
  // A new stream for a call.
  std::shared_ptr<McpEventStream> open_stream();
  // Null if the stream is unknown or was dropped.
  std::shared_ptr<McpEventStream> find_stream(std::uint64_t number);

  // Active calls are cancelled with an error reply.
  void close(const std::string& reason);

  std::chrono::nanoseconds last_use{0};  // Guarded by McpHttpSessions::mutex_.

 private:
  // Set at construction.
  StreamKeeper& keeper_;
  const std::shared_ptr<McpEventStream> own_stream_;
  const std::shared_ptr<McpSession> session_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::uint64_t, std::shared_ptr<McpEventStream>> streams_;
  std::uint64_t next_stream_ = 1;
};

// Thread safety: all members may be called from any thread.
class McpHttpSessions {
 public:
  // Both must outlive this.
  McpHttpSessions(McpCore& core, StreamKeeper& keeper);

  // If there are too many sessions, closes the one that was idle for longest.
  std::shared_ptr<McpHttpSession> open();
  std::shared_ptr<McpHttpSession> find(std::string_view id);
  // Returns whether the session existed.
  bool close(std::string_view id, const std::string& reason);
  void close_all(const std::string& reason);
  // Waits for active calls, at most `grace`.
  void wait_idle(std::chrono::milliseconds grace);

 private:
  using Sessions =
      std::map<std::string, std::shared_ptr<McpHttpSession>, std::less<>>;
  Sessions::iterator longest_idle();

  McpCore& core_;
  StreamKeeper& keeper_;

  std::mutex mutex_;
  Sessions sessions_;  // Guarded by mutex_.
};

}  // namespace lamarck::mcp
