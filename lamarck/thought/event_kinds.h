// The event types of a session: the one list that replay, the documentation and
// the tests iterate.

#pragma once

#include <span>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/store/event.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought {

// Fields that have no column of their own are a JSON object in `constraints`.
// Every event type may use these:
//   branch    the branch the event belongs to
//   moves     triggers of branch_state.h, applied in order
//   outcome   how the branch ended
//   alert     {kind, message}
// The token cost of an event counts for its session and its branch; its time
// counts for the session.
struct EventKind {
  std::string_view type;
  std::string_view says;     // One sentence for the documentation.
  std::string_view details;  // Its own fields in `constraints`.
  Result<void> (*apply)(Session&, const store::Event&, const Json& details);
};
std::span<const EventKind> event_kinds();

// Like `apply` in session.h, for a caller that has already parsed the
// constraints.
Result<void> apply_event(Session& session, const store::Event& event,
                         const Json& details);

}  // namespace lamarck::thought
