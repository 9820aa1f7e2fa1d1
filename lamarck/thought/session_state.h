// The life of a session: its states and what may follow which.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::thought {

enum class SessionState : std::uint8_t {
  Init,
  Active,
  Warning,  // 80 % of a budget are used.
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

// All of them; what is not here is refused.
std::span<const SessionTransition> session_transitions();

// In the order of the enumeration.
std::span<const std::string_view> session_state_names();
std::string_view session_state_name(SessionState state);
Result<SessionState> session_state_named(std::string_view name);
bool is_final(SessionState state);

// Whether `to` may follow `from`; else FailedPrecondition that names what may.
Result<void> check_follows(SessionState from, SessionState to,
                           std::string_view session);

}  // namespace lamarck::thought
