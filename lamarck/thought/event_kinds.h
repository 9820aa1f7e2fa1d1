// The types of events a session has: one list that the fold, the documents and
// the tests walk.

#pragma once

#include <span>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/store/event.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought {

// What an event needs beyond its columns is a JSON object in `constraints`.
// Every type may have
//   branch    whose event it is
//   moves     triggers of branch_state.h that it pulls, in order
//   outcome   how the branch ended
//   alert     {kind, message}
// and the tokens and the time of its columns count for session and branch.
struct EventKind {
  std::string_view type;
  std::string_view says;     // For the documents.
  std::string_view details;  // Fields of its own in `constraints`.
  Result<void> (*apply)(Session&, const store::Event&, const Json& details);
};
std::span<const EventKind> event_kinds();

// `apply` of session.h for a caller that has the constraints at hand.
Result<void> apply_event(Session& session, const store::Event& event,
                         const Json& details);

}  // namespace lamarck::thought
