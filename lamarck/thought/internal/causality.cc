#include "lamarck/thought/internal/causality.h"

#include <string>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/one_line.h"
#include "lamarck/store/vector_clock.h"

namespace lamarck::thought::internal {
namespace {

using store::ClockCounts;

std::uint64_t count_of(const ClockCounts& clock, std::string_view node) {
  const auto found = clock.find(node);
  return found == clock.end() ? 0 : found->second;
}

Error conflict(const Session& session, std::string message) {
  return {ErrorCode::Conflict,
          std::move(message),
          {{"status", "409"},
           {"resolution",
            "Read what is new, merge it into the thought, and send it again "
            "with this vector clock."},
           {"vector_clock", dump_json(Json(session.vector_clock))},
           {"head", session.last_event}}};
}

Result<store::Event> parent_event(store::Journal& journal,
                                  const Session& session,
                                  const std::string& id) {
  Result<store::Event> event = journal.event(id);
  if (event && event->run == session.id) return event;
  if (!event && event.error().code() != ErrorCode::NotFound) return event;
  return Error(ErrorCode::NotFound,
               fmt::format("Session {} has no event {}, so it cannot be a "
                           "parent; name events of this session.",
                           session.id, in_quotes(id)),
               {{"session", session.id}, {"parent", id}});
}

Result<void> check_seen(const Session& session, const ClockCounts& seen,
                        std::string_view node) {
  for (const auto& [name, count] : seen) {
    const std::uint64_t known = count_of(session.vector_clock, name);
    if (count <= known) continue;
    return conflict(session,
                    fmt::format("The vector clock says {} at {}, but that is "
                                "at {}.",
                                in_quotes(name), count, known));
  }
  const std::uint64_t own = count_of(session.vector_clock, node);
  if (count_of(seen, node) == own) return {};
  return conflict(session,
                  fmt::format("{} has written {} events here, and the vector "
                              "clock knows {} of them.",
                              in_quotes(node), own, count_of(seen, node)));
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
    return conflict(session,
                    fmt::format("The parent {} is not in the past of this "
                                "event: it was written concurrently.",
                                id));
  }
  return seen.empty() ? Result<void>() : check_seen(session, seen, node);
}

}  // namespace lamarck::thought::internal
