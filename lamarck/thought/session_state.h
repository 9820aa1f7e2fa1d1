// The state machine of a session: its states and the transitions between them.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::thought {

enum class SessionState : std::uint8_t {
  Init,
  Active,
  Warning,  // 80 % of a budget is used.
  Paused,
  Completed,
  Failed,
  Timeout,
  BudgetExceeded,
};

struct SessionTransition {
  SessionState from;
  SessionState to;
};

// The whole table; every transition that is not listed is rejected.
std::span<const SessionTransition> session_transitions();

// Names in the order of the enumeration.
std::span<const std::string_view> session_state_names();
std::string_view session_state_name(SessionState state);
Result<SessionState> parse_session_state(std::string_view name);
bool is_final(SessionState state);

// FailedPrecondition unless `to` may follow `from`; the message lists the legal
// next states.
Result<void> check_follows(SessionState from, SessionState to,
                           std::string_view session);

}  // namespace lamarck::thought
