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
#include "lamarck/server/mcp/internal/mcp_peer.h"

namespace lamarck::mcp {

// Thread safety: all members may be called from any thread.
class McpHttpSession {
 public:
  // Limits of the ended streams that a client can still resume.
  static constexpr std::size_t kMaxStreams = 64;
  static constexpr std::size_t kMaxStreamBytes = std::size_t{2} << 20;

  McpHttpSession(std::string id, McpPeer peer, StreamKeeper& keeper);

  const std::shared_ptr<McpSession>& session() const { return session_; }
  const McpPeer& peer() const { return peer_; }  // That opened it.
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

  // Guarded by McpHttpSessions::mutex_.
  std::chrono::nanoseconds last_use{0};
  bool is_used = false;  // A request named it.

 private:
  // Set at construction.
  const McpPeer peer_;
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

  // If there are too many sessions, closes one: of this peer if the peer has
  // too many, otherwise of the peer that has most. So a client cannot push out
  // the sessions of other addresses.
  std::shared_ptr<McpHttpSession> open(const McpPeer& peer);
  std::shared_ptr<McpHttpSession> find(std::string_view id);
  // Returns whether the session existed.
  bool close(std::string_view id, const std::string& reason);
  void close_all(const std::string& reason);
  // Waits for active calls, at most `grace`.
  void wait_idle(std::chrono::milliseconds grace);

 private:
  using Sessions =
      std::map<std::string, std::shared_ptr<McpHttpSession>, std::less<>>;
  // The address whose session must make room for a new one; null = none.
  const std::string* crowded_address(const std::string& address) const;
  // Of the sessions of an address. REQUIRES: there is one.
  Sessions::iterator find_victim(const std::string& address);
  std::shared_ptr<McpHttpSession> remove(Sessions::iterator position);

  McpCore& core_;
  StreamKeeper& keeper_;

  std::mutex mutex_;
  // Guarded by mutex_.
  Sessions sessions_;
  std::map<std::string, std::size_t> counts_;  // Of sessions, by address.
};

}  // namespace lamarck::mcp
