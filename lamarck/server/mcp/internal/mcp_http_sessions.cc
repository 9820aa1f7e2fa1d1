#include "lamarck/server/mcp/internal/mcp_http_sessions.h"

#include <algorithm>
#include <utility>

#include "lamarck/base/clock.h"

namespace lamarck::mcp {
namespace {

constexpr std::uint64_t kOwnStream = 0;

}  // namespace

McpHttpSession::McpHttpSession(std::string id, StreamKeeper& keeper)
    : keeper_(keeper),
      own_stream_(std::make_shared<McpEventStream>(kOwnStream, keeper)),
      session_(std::make_shared<McpSession>(
          std::move(id), [stream = own_stream_](const std::string& message) {
            stream->send(message);
          })) {}

bool McpHttpSession::is_resumable() const {
  return session_->version() >= "2025-11-25";
}

std::shared_ptr<McpEventStream> McpHttpSession::open_stream() {
  const std::lock_guard lock(mutex_);
  // Drops ended streams only; active ones still receive messages.
  for (auto it = streams_.begin();
       streams_.size() > kMaxStreams && it != streams_.end();) {
    it = it->second->is_over() ? streams_.erase(it) : std::next(it);
  }
  const std::uint64_t number = next_stream_++;
  return streams_[number] = std::make_shared<McpEventStream>(number, keeper_);
}

std::shared_ptr<McpEventStream> McpHttpSession::find_stream(
    std::uint64_t number) {
  if (number == kOwnStream) return own_stream_;
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(number);
  return found == streams_.end() ? nullptr : found->second;
}

void McpHttpSession::close(const std::string& reason) {
  // Closes the calls first, so that their errors still reach the streams.
  session_->close(reason, McpSession::Farewell::Told);
  own_stream_->end();
  std::map<std::uint64_t, std::shared_ptr<McpEventStream>> streams;
  {
    const std::lock_guard lock(mutex_);
    streams = streams_;
  }
  for (const auto& [number, stream] : streams) stream->end();
}

McpHttpSessions::McpHttpSessions(McpCore& core, StreamKeeper& keeper)
    : core_(core), keeper_(keeper) {}

McpHttpSessions::Sessions::iterator McpHttpSessions::longest_idle() {
  auto oldest = sessions_.begin();
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    // Sessions without active calls go first, then the least recently used.
    const bool is_idle = it->second->session()->call_count() == 0;
    const bool was_idle = oldest->second->session()->call_count() == 0;
    if (is_idle == was_idle ? it->second->last_use < oldest->second->last_use
                            : is_idle) {
      oldest = it;
    }
  }
  return oldest;
}

std::shared_ptr<McpHttpSession> McpHttpSessions::open() {
  auto opened =
      std::make_shared<McpHttpSession>(core_.next_secret("session"), keeper_);
  opened->last_use = core_.clock().elapsed();
  std::shared_ptr<McpHttpSession> closed;
  {
    const std::lock_guard lock(mutex_);
    if (!sessions_.empty() &&
        sessions_.size() >= core_.options().max_sessions) {
      const auto oldest = longest_idle();
      closed = std::move(oldest->second);
      sessions_.erase(oldest);
    }
    sessions_[opened->session()->id()] = opened;
  }
  // Without the lock, because closing runs callbacks.
  if (closed != nullptr)
    closed->close(
        "There are too many sessions, so this one was closed; send initialize "
        "again.");
  core_.hub().add_session(opened->session());
  return opened;
}

std::shared_ptr<McpHttpSession> McpHttpSessions::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  found->second->last_use = core_.clock().elapsed();
  return found->second;
}

bool McpHttpSessions::close(std::string_view id, const std::string& reason) {
  std::shared_ptr<McpHttpSession> closed;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return false;
    closed = std::move(found->second);
    sessions_.erase(found);
  }
  closed->close(reason);
  return true;
}

void McpHttpSessions::wait_idle(std::chrono::milliseconds grace) {
  Sessions all;
  {
    const std::lock_guard lock(mutex_);
    all = sessions_;
  }
  const SystemClock clock;
  const auto end = clock.elapsed() + grace;
  for (const auto& [id, session] : all) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - clock.elapsed());
    session->session()->wait_idle(std::max(left, std::chrono::milliseconds(0)));
  }
}

void McpHttpSessions::close_all(const std::string& reason) {
  Sessions all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(sessions_);
  }
  for (const auto& [id, session] : all) session->close(reason);
}

}  // namespace lamarck::mcp
