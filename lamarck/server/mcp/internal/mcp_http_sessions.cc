#include "lamarck/server/mcp/internal/mcp_http_sessions.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "lamarck/base/clock.h"

namespace lamarck::mcp {
namespace {

constexpr std::uint64_t kOwnStream = 0;
// This fraction of the sessions of an address may be unused.
constexpr std::size_t kUnusedShare = 4;

}  // namespace

McpHttpSession::McpHttpSession(std::string id, McpPeer peer,
                               StreamKeeper& keeper)
    : peer_(std::move(peer)),
      keeper_(keeper),
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
  std::size_t bytes = 0;
  for (const auto& [number, stream] : streams_) bytes += stream->kept_bytes();
  // Drops ended streams only; active ones still receive messages.
  for (auto it = streams_.begin();
       (streams_.size() > kMaxStreams || bytes > kMaxStreamBytes) &&
       it != streams_.end();) {
    if (!it->second->is_over()) {
      ++it;
      continue;
    }
    bytes -= it->second->kept_bytes();
    it = streams_.erase(it);
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

const std::string* McpHttpSessions::crowded_address(
    const std::string& address) const {
  const McpOptions& options = core_.options();
  const auto own = counts_.find(address);
  if (own != counts_.end() && own->second >= options.max_sessions_per_address) {
    return &own->first;
  }
  if (sessions_.empty() || sessions_.size() < options.max_sessions) {
    return nullptr;
  }
  return &std::ranges::max_element(counts_, {}, [](const auto& entry) {
            return entry.second;
          })->first;
}

// Clients on one machine share an address. So prefers, among sessions without
// active calls, those of a connection that opened many, then those that nobody
// has used, then the least recently used. A new session is not used yet either,
// so unused ones are preferred only if there are many.
McpHttpSessions::Sessions::iterator McpHttpSessions::find_victim(
    const std::string& address) {
  std::unordered_map<std::uint64_t, std::size_t> opened;  // By connection.
  std::size_t unused = 0;
  for (const auto& [id, session] : sessions_) {
    if (session->peer().address != address) continue;
    ++opened[session->peer().connection];
    if (!session->is_used) ++unused;
  }
  const bool has_many_unused = unused > counts_[address] / kUnusedShare;
  const auto rank = [&](const McpHttpSession& session) {
    const std::size_t siblings = opened[session.peer().connection];
    // A client that opens many is about to use its newest session.
    const bool is_wanted = session.is_used || siblings > 1 || !has_many_unused;
    return std::tuple(session.session()->call_count() > 0,
                      -static_cast<std::int64_t>(siblings), is_wanted,
                      session.last_use);
  };
  auto first = sessions_.end();
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    if (it->second->peer().address != address) continue;
    if (first == sessions_.end() || rank(*it->second) < rank(*first->second)) {
      first = it;
    }
  }
  return first;
}

std::shared_ptr<McpHttpSession> McpHttpSessions::remove(
    Sessions::iterator position) {
  auto removed = std::move(position->second);
  sessions_.erase(position);
  const auto count = counts_.find(removed->peer().address);
  if (--count->second == 0) counts_.erase(count);
  return removed;
}

std::shared_ptr<McpHttpSession> McpHttpSessions::open(const McpPeer& peer) {
  auto opened = std::make_shared<McpHttpSession>(core_.next_secret("session"),
                                                 peer, keeper_);
  opened->last_use = core_.clock().elapsed();
  std::shared_ptr<McpHttpSession> closed;
  {
    const std::lock_guard lock(mutex_);
    if (const std::string* crowded = crowded_address(peer.address)) {
      closed = remove(find_victim(*crowded));
    }
    sessions_[opened->session()->id()] = opened;
    ++counts_[peer.address];
  }
  // Without the lock, because closing runs callbacks.
  if (closed != nullptr) {
    closed->close(
        "There are too many sessions, so this one was closed; send initialize "
        "again.");
  }
  return opened;
}

std::shared_ptr<McpHttpSession> McpHttpSessions::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  found->second->last_use = core_.clock().elapsed();
  found->second->is_used = true;
  return found->second;
}

bool McpHttpSessions::close(std::string_view id, const std::string& reason) {
  std::shared_ptr<McpHttpSession> closed;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return false;
    closed = remove(found);
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
    counts_.clear();
  }
  for (const auto& [id, session] : all) session->close(reason);
}

}  // namespace lamarck::mcp
