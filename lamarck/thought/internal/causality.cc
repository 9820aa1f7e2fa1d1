#include "lamarck/thought/internal/causality.h"

#include <algorithm>
#include <string>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/store/vector_clock.h"

namespace lamarck::thought::internal {
namespace {

using store::ClockCounts;

constexpr std::size_t kMaxMissed = 200;  // Events named in a conflict.
constexpr std::uint64_t kCausalityPage = 500;

// The session, and what the writer has seen of it.
struct Situation {
  store::Journal& journal;
  const Session& session;
  const ClockCounts& seen;
};

std::uint64_t count_of(const ClockCounts& clock, std::string_view node) {
  const auto found = clock.find(node);
  return found == clock.end() ? 0 : found->second;
}

bool is_seen(const store::Event& event, const ClockCounts& seen) {
  return std::ranges::all_of(event.vector_clock, [&](const auto& entry) {
    return entry.second <= count_of(seen, entry.first);
  });
}

// The number of events that the writer has not seen. Each event increments one
// entry of the clock, so the differences add up to it.
std::uint64_t missed_count(const Session& session, const ClockCounts& seen) {
  std::uint64_t missed = 0;
  for (const auto& [node, count] : session.vector_clock) {
    missed += count - std::min(count, count_of(seen, node));
  }
  return missed;
}

// The ids of the latest events that the writer has not seen, oldest first.
// Leaves out pruned events. Reads backwards in pages, since the missed events
// are usually the last ones.
std::vector<std::string> missed_events(store::Journal& journal,
                                       const Session& session,
                                       const ClockCounts& seen) {
  const std::size_t wanted =
      std::min<std::size_t>(kMaxMissed, missed_count(session, seen));
  std::vector<std::string> ids;
  std::uint64_t end = session.head;
  while (end > 0 && ids.size() < wanted) {
    const std::uint64_t begin = end - std::min(end, kCausalityPage);
    const auto events = journal.events(session.id, begin, end - begin);
    if (!events) break;
    for (auto it = events->rbegin(); it != events->rend(); ++it) {
      const bool is_missed = it->seq <= end && !is_seen(*it, seen);
      if (is_missed && ids.size() < wanted) ids.push_back(it->id);
    }
    end = begin;
  }
  std::ranges::reverse(ids);
  return ids;
}

constexpr std::string_view kReadAndSend =
    "read the new events and send the request again with the clock in "
    "`vector_clock`.";

Error conflict(const Situation& now, std::string message) {
  return {
      ErrorCode::Conflict,
      std::move(message),
      {{"status", "409"},
       {"resolution",
        "Read the new events, revise the thought, and send it again with this "
        "vector clock."},
       {"vector_clock", dump_json(Json(now.session.vector_clock))},
       {"missed_events",
        dump_json(Json(missed_events(now.journal, now.session, now.seen)))},
       {"missed_count", std::to_string(missed_count(now.session, now.seen))},
       {"head", now.session.last_event}}};
}

Result<store::Event> parent_event(store::Journal& journal,
                                  const Session& session,
                                  const std::string& id) {
  Result<store::Event> event = journal.event(id);
  if (event && event->run == session.id) return event;
  if (!event && event.error().code() != ErrorCode::NotFound) return event;
  return Error(ErrorCode::NotFound,
               fmt::format("Session {} has no event {}; parents must be events "
                           "of this session that were not pruned.",
                           session.id, in_quotes(id)),
               {{"session", session.id}, {"parent", id}});
}

Result<void> check_seen(const Situation& now, std::string_view node) {
  const auto& [journal, session, seen] = now;
  for (const auto& [name, count] : seen) {
    const std::uint64_t known = count_of(session.vector_clock, name);
    if (count <= known) continue;
    return conflict(
        now, fmt::format(
                 "The vector clock is ahead of this session: its entry for {} "
                 "is {}, but the session has {}; use the clock of an "
                 "answer of this session, such as the one in `vector_clock`.",
                 in_quotes(name), count, known));
  }
  const std::uint64_t own = count_of(session.vector_clock, node);
  if (count_of(seen, node) == own) return {};
  return conflict(
      now,
      fmt::format("The vector clock misses events of its writer: its entry for "
                  "{} is {}, but the session has {}; {}",
                  in_quotes(node), count_of(seen, node), own, kReadAndSend));
}

Result<void> check_seen_all(const Situation& now) {
  if (missed_count(now.session, now.seen) == 0) return {};
  return conflict(
      now, fmt::format("The vector clock does not cover all events of this "
                       "session, and earlier events were pruned; {}",
                       kReadAndSend));
}

}  // namespace

Result<void> check_causality(store::Journal& journal, const Session& session,
                             const std::vector<std::string>& parents,
                             const ClockCounts& seen, std::string_view node) {
  for (const std::string& id : parents) {
    ASSIGN_OR_RETURN(const store::Event event,
                     parent_event(journal, session, id));
    if (seen.empty()) continue;
    ClockCounts clock = seen;
    store::increment(clock, node);
    if (store::happens_before(event.vector_clock, clock)) continue;
    return conflict({journal, session, seen},
                    fmt::format("The parent {} was written concurrently and is "
                                "not in the past of this event; {}",
                                id, kReadAndSend));
  }
  if (seen.empty()) return {};
  if (parents.empty())
    RETURN_IF_ERROR(check_seen_all({journal, session, seen}));
  return check_seen({journal, session, seen}, node);
}

}  // namespace lamarck::thought::internal
