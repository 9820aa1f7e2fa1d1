#include "lamarck/thought/session_state.h"

#include <set>
#include <string>
#include <utility>
#include <gtest/gtest.h>

namespace lamarck::thought {
namespace {

constexpr int kSessionStates = 8;

SessionState session_state(int index) {
  return static_cast<SessionState>(index);
}

TEST(SessionState, AllowsExactlyTheTransitionsOfTheTable) {
  std::set<std::pair<SessionState, SessionState>> table;
  for (const SessionTransition& transition : session_transitions()) {
    EXPECT_TRUE(table.emplace(transition.from, transition.to).second);
  }

  for (int i = 0; i < kSessionStates * kSessionStates; ++i) {
    const auto from = session_state(i / kSessionStates);
    const auto to = session_state(i % kSessionStates);
    EXPECT_EQ(check_follows(from, to, "sess_1").has_value(),
              table.contains({from, to}))
        << session_state_name(from) << " to " << session_state_name(to);
  }
}

TEST(SessionState, HasFourFinalStates) {
  int finals = 0;
  for (int i = 0; i < kSessionStates; ++i)
    finals += is_final(session_state(i)) ? 1 : 0;

  EXPECT_EQ(finals, 4);
  EXPECT_TRUE(is_final(SessionState::BudgetExceeded));
  EXPECT_FALSE(is_final(SessionState::Paused));
}

TEST(SessionState, ResumesToStateBeforePause) {
  using enum SessionState;
  for (const auto before : {Active, Warning}) {
    EXPECT_TRUE(check_follows(before, Paused, "s").has_value());
    EXPECT_TRUE(check_follows(Paused, before, "s").has_value());
  }
}

TEST(SessionState, ErrorListsLegalStates) {
  const auto refused =
      check_follows(SessionState::Paused, SessionState::Timeout, "sess_1");

  EXPECT_EQ(refused.error().code(), ErrorCode::FailedPrecondition);
  EXPECT_EQ(refused.error().message(),
            "Session 'sess_1' is paused and cannot become timeout; legal next "
            "states: active, warning, completed, failed.");
}

TEST(SessionState, NamesRoundTrip) {
  ASSERT_EQ(session_state_names().size(), std::size_t{kSessionStates});
  for (int i = 0; i < kSessionStates; ++i) {
    EXPECT_EQ(parse_session_state(session_state_name(session_state(i))).value(),
              session_state(i));
  }
  EXPECT_EQ(parse_session_state("gone").error().code(),
            ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace lamarck::thought
