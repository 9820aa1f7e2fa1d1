// A cache of sessions: restored from the journal on demand, evicted in LRU
// order.

#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

struct Restored {
  Session session;
  std::uint64_t checkpoint_seq = 0;  // 0 = replayed from the first event.
  std::uint64_t replayed = 0;
};
// Loads the latest checkpoint and replays the events after it. NotFound if
// there is no such session.
Result<Restored> restore_session(store::Journal& journal, std::string_view id);

struct OpenSession {
  explicit OpenSession(std::string name) : id(std::move(name)) {}

  // Restores the session unless it is loaded.
  Result<void> load(store::Journal& journal, const Clock& clock);
  // Applies events that other writers appended, and returns their number.
  Result<std::uint64_t> catch_up(store::Journal& journal, const Clock& clock);
  // The time that the session has used so far.
  std::chrono::milliseconds time_used(const Clock& clock) const;
  // Call after appending events of our own; `was_stopped`: no time passed
  // before them.
  void note_time(const Clock& clock, bool was_stopped);

  const std::string id;
  std::mutex mutex;
  // Guarded by mutex.
  std::optional<Session> session;               // nullopt = call load().
  std::uint64_t checkpoint_seq = 0;             // The last known checkpoint.
  std::chrono::nanoseconds checkpoint_time{0};  // By Clock::elapsed.

 private:
  void follow_wall_time(const Clock& clock);

  // The session had used `used_then_` when the clock was at `then_`.
  std::chrono::milliseconds used_then_{0};
  std::chrono::nanoseconds then_{0};
};

// A session with its mutex locked. While this object lives, the cache does not
// evict the session.
class HeldSession {
 public:
  explicit HeldSession(std::shared_ptr<OpenSession> open)
      : open_(std::move(open)), lock_(open_->mutex) {}

  OpenSession& operator*() const { return *open_; }
  OpenSession* operator->() const { return open_.get(); }
  void unlock() { lock_.unlock(); }

 private:
  std::shared_ptr<OpenSession> open_;
  std::unique_lock<std::mutex> lock_;  // After open_, so destroyed before it.
};

// Thread safety: all members may be called from any thread.
class OpenSessions {
 public:
  explicit OpenSessions(std::size_t max) : max_(max) {}

  // A new entry is not loaded yet.
  std::shared_ptr<OpenSession> open(std::string_view id);
  void forget(std::string_view id);
  std::size_t size() const;

 private:
  using Entry = std::shared_ptr<OpenSession>;
  void forget_oldest();

  const std::size_t max_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::list<Entry> recent_;  // Most recently used first.
  std::map<std::string, std::list<Entry>::iterator, std::less<>> by_id_;
};

}  // namespace lamarck::thought::internal
