// What the clock has made of a session since its last event. Nothing is
// recorded by looking: the next call that writes does that.

#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// That 80 % of the tokens or of the time are used, in a sentence.
std::optional<std::string> budget_warning(const Session& session,
                                          std::chrono::milliseconds time_used);
// That the time is used up, in a sentence.
std::optional<std::string> timeout_note(const Session& session,
                                        std::chrono::milliseconds time_used);

// The session as the next call that writes would find it: in state timeout or
// warning, with the alert for that. Nothing if that is as it is.
std::optional<Session> session_now(const Session& session,
                                   std::chrono::milliseconds time_used);

}  // namespace lamarck::thought::internal
