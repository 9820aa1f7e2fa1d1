#include "lamarck/thought/session_state.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>
#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"

namespace lamarck::thought {
namespace {

constexpr std::array<std::string_view, 8> kSessionStateNames = {
    "init",      "active", "warning", "paused",
    "completed", "failed", "timeout", "budget_exceeded"};

// A paused session returns to its previous state or ends. Its time stands
// still, so it cannot exceed a budget.
constexpr auto kSessionTransitions = [] {
  using enum SessionState;
  return std::array<SessionTransition, 20>{{
      {Init, Active},       {Init, Failed},
      {Init, Timeout},      {Init, BudgetExceeded},
      {Active, Warning},    {Active, Paused},
      {Active, Completed},  {Active, Failed},
      {Active, Timeout},    {Active, BudgetExceeded},
      {Warning, Active},    {Warning, Paused},
      {Warning, Completed}, {Warning, Failed},
      {Warning, Timeout},   {Warning, BudgetExceeded},
      {Paused, Active},     {Paused, Warning},
      {Paused, Completed},  {Paused, Failed},
  }};
}();

std::string legal_states(SessionState from) {
  std::vector<std::string_view> names;
  for (const SessionTransition& transition : kSessionTransitions) {
    if (transition.from == from) {
      names.push_back(session_state_name(transition.to));
    }
  }
  return join_text(names, ", ");
}

}  // namespace

std::span<const SessionTransition> session_transitions() {
  return kSessionTransitions;
}

std::span<const std::string_view> session_state_names() {
  return kSessionStateNames;
}

std::string_view session_state_name(SessionState state) {
  const auto index = static_cast<std::size_t>(state);
  REQUIRE(index < kSessionStateNames.size(),
          "session_state_name: the state must be below {}, got {}.",
          kSessionStateNames.size(), index);
  return kSessionStateNames[index];
}

Result<SessionState> parse_session_state(std::string_view name) {
  const auto found = std::ranges::find(kSessionStateNames, name);
  if (found == kSessionStateNames.end()) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("Unknown session state {}; use one of {}.", in_quotes(name),
                    join_text(kSessionStateNames, ", ")));
  }
  return static_cast<SessionState>(found - kSessionStateNames.begin());
}

bool is_final(SessionState state) {
  return std::ranges::none_of(kSessionTransitions, [&](const auto& transition) {
    return transition.from == state;
  });
}

Result<void> check_follows(SessionState from, SessionState to,
                           std::string_view session) {
  for (const SessionTransition& transition : kSessionTransitions) {
    if (transition.from == from && transition.to == to) return {};
  }
  const std::string end =
      is_final(from)
          ? std::string("this state is final, so start a new session instead.")
          : fmt::format("legal next states: {}.", legal_states(from));
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("Session {} is {} and cannot become {}; {}",
                           in_quotes(session), session_state_name(from),
                           session_state_name(to), end),
               {{"state", std::string(session_state_name(from))},
                {"legal", legal_states(from)}});
}

}  // namespace lamarck::thought
