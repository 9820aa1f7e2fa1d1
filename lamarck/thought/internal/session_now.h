// The effect of the clock on a session since its last event. These functions
// record nothing; the next call that writes does.

#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// Returns whether no time passes for the session: it is paused, has ended, or
// only waits for a plan to be executed outside.
bool is_clock_stopped(const Session& session);

// A sentence if 80 % of the tokens or of the time is used.
std::optional<std::string> budget_warning(const Session& session,
                                          std::chrono::milliseconds time_used);
// A sentence if the time is used up.
std::optional<std::string> timeout_note(const Session& session,
                                        std::chrono::milliseconds time_used);

// The session as the next call that writes would change it: in state timeout or
// warning, with the corresponding alert. nullopt if nothing changes.
std::optional<Session> session_now(const Session& session,
                                   std::chrono::milliseconds time_used);

}  // namespace lamarck::thought::internal
