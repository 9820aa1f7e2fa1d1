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

// A paused session goes back to what it was, or is ended; time does not pass
// for it, so it cannot run out of any budget.
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

std::string followers(SessionState from) {
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
          "session_state_name: a known state");
  return kSessionStateNames[index];
}

Result<SessionState> session_state_named(std::string_view name) {
  const auto found = std::ranges::find(kSessionStateNames, name);
  if (found == kSessionStateNames.end()) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("There is no session state {}; there are {}.",
                    in_quotes(name), join_text(kSessionStateNames, ", ")));
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
          ? std::string("that state is final, so start a new session instead.")
          : fmt::format("what may follow: {}.", followers(from));
  return Error(ErrorCode::FailedPrecondition,
               fmt::format("Session {} is {} and cannot become {}; {}",
                           in_quotes(session), session_state_name(from),
                           session_state_name(to), end),
               {{"state", std::string(session_state_name(from))},
                {"legal", followers(from)}});
}

}  // namespace lamarck::thought
