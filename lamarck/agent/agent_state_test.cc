#include "lamarck/agent/agent_state.h"

#include <set>
#include <gtest/gtest.h>

namespace lamarck::agent {
namespace {

TEST(AgentState, HasExactlyElevenTransitions) {
  EXPECT_EQ(agent_transitions().size(), 11U);
  EXPECT_TRUE(is_transition(AgentState::Observe, AgentState::Plan));
  EXPECT_FALSE(is_transition(AgentState::Plan, AgentState::Observe));
  EXPECT_FALSE(is_transition(AgentState::Act, AgentState::Respond));
}

TEST(AgentState, EveryStateIsReachedFromStart) {
  std::set<AgentState> reached = {AgentState::Start};
  for (int round = 0; round < 8; ++round) {
    for (const AgentTransition& one : agent_transitions()) {
      if (reached.contains(one.from)) reached.insert(one.to);
    }
  }
  EXPECT_EQ(reached.size(), 8U);
}

TEST(AgentState, EndIsFinal) {
  for (const AgentTransition& one : agent_transitions()) {
    EXPECT_NE(one.from, AgentState::End);
    EXPECT_EQ(agent_state_name(one.from).find(' '), std::string_view::npos);
  }
}

}  // namespace
}  // namespace lamarck::agent
