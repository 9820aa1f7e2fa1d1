#include "lamarck/thought/internal/open_sessions.h"

#include <algorithm>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/thought/internal/session_now.h"

namespace lamarck::thought::internal {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::size_t kPage = 2000;

Error no_session(std::string_view id) {
  return {ErrorCode::NotFound,
          fmt::format("Session {} does not exist; start one with "
                      "think_session_start.",
                      in_quotes(id)),
          {{"session", std::string(id)}}};
}

// Returns whether the checkpoint is of an older version, which lacks parts of
// the state, while all events are still there.
Result<bool> is_replaceable(store::Journal& journal, std::string_view id,
                            const Json& snapshot) {
  const auto version = json_field_or<std::int64_t>(snapshot, "version", 1);
  if (version && *version >= kSessionVersion) return false;
  ASSIGN_OR_RETURN(const std::vector<store::Event> first,
                   journal.events(id, 0, 1));
  return !first.empty() && first.front().seq == 1;
}

// Returns nullopt if there is no checkpoint or it cannot be read: replaying all
// events then gives the same state, only more slowly.
Result<std::optional<Session>> from_checkpoint(store::Journal& journal,
                                               std::string_view id) {
  ASSIGN_OR_RETURN(const auto checkpoint, journal.latest_checkpoint(id));
  if (!checkpoint) return std::optional<Session>();
  const Result<Json> json = parse_json(checkpoint->state_snapshot);
  if (!json) return std::optional<Session>();
  ASSIGN_OR_RETURN(const bool is_outdated, is_replaceable(journal, id, *json));
  if (is_outdated) return std::optional<Session>();
  Result<Session> session = session_from_json(*json);
  const bool fits = session && session->head == checkpoint->seq;
  if (!fits) return std::optional<Session>();
  return std::optional<Session>(*std::move(session));
}

Result<std::uint64_t> replay(store::Journal& journal, std::string_view id,
                             Session& session) {
  std::uint64_t count = 0;
  while (true) {
    const auto events = journal.events(id, session.head, kPage);
    if (!events) {
      return events.error().code() == ErrorCode::NotFound ? no_session(id)
                                                          : events.error();
    }
    for (const store::Event& event : *events) {
      RETURN_IF_ERROR(apply(session, event));
    }
    count += events->size();
    if (events->size() < kPage) return count;
  }
}

}  // namespace

Result<Restored> restore_session(store::Journal& journal, std::string_view id) {
  const Result<store::Run> run = journal.run(id);
  if (!run && run.error().code() != ErrorCode::NotFound) return run.error();
  if (!run || run->kind != "thought") return no_session(id);
  Restored restored;
  ASSIGN_OR_RETURN(std::optional<Session> saved, from_checkpoint(journal, id));
  if (saved) {
    restored.session = *std::move(saved);
    restored.checkpoint_seq = restored.session.head;
  }
  ASSIGN_OR_RETURN(restored.replayed, replay(journal, id, restored.session));
  return restored;
}

Result<void> OpenSession::load(store::Journal& journal, const Clock& clock) {
  if (session) return {};
  ASSIGN_OR_RETURN(Restored restored, restore_session(journal, id));
  session = std::move(restored.session);
  checkpoint_seq = restored.checkpoint_seq;
  checkpoint_time = clock.elapsed();
  follow_wall_time(clock);
  return {};
}

Result<std::uint64_t> OpenSession::catch_up(store::Journal& journal,
                                            const Clock& clock) {
  Result<std::uint64_t> count = replay(journal, id, *session);
  if (!count) {
    session.reset();
  } else if (*count > 0) {
    follow_wall_time(clock);
  }
  return count;
}

// For events of other writers, or of an earlier process, only the wall time is
// known. max() guards against a clock that was set back.
void OpenSession::follow_wall_time(const Clock& clock) {
  const nanoseconds since = std::max(
      nanoseconds(0), nanoseconds(clock.wall_time() - session->last_time));
  used_then_ = session->time_used;
  then_ = clock.elapsed() - since;
}

milliseconds OpenSession::time_used(const Clock& clock) const {
  if (is_clock_stopped(*session)) return session->time_used;
  return std::max(
      session->time_used,
      used_then_ + duration_cast<milliseconds>(clock.elapsed() - then_));
}

void OpenSession::note_time(const Clock& clock, bool was_stopped) {
  if (!was_stopped) return;
  used_then_ = session->time_used;
  then_ = clock.elapsed();
}

std::shared_ptr<OpenSession> OpenSessions::open(std::string_view id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_id_.find(id); found != by_id_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return *found->second;
  }
  forget_oldest();
  recent_.push_front(std::make_shared<OpenSession>(std::string(id)));
  by_id_.emplace(id, recent_.begin());
  return recent_.front();
}

// Entries in use stay: evicting one would let two threads work on separate
// copies of the same session.
void OpenSessions::forget_oldest() {
  auto last = recent_.end();
  while (recent_.size() >= max_ && last != recent_.begin()) {
    --last;
    if (last->use_count() > 1) continue;
    by_id_.erase((*last)->id);
    last = recent_.erase(last);
  }
}

void OpenSessions::forget(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  recent_.erase(found->second);
  by_id_.erase(found);
}

std::size_t OpenSessions::size() const {
  const std::lock_guard lock(mutex_);
  return recent_.size();
}

}  // namespace lamarck::thought::internal
