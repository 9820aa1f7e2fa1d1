// The states of an agent that works on a task, and the allowed transitions.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lamarck::agent {

enum class AgentState : std::uint8_t {
  Start,
  Plan,
  Act,
  Delegate,
  Observe,
  Reflect,
  Respond,
  End,
};
std::string_view agent_state_name(AgentState state);  // "PLAN".

struct AgentTransition {
  AgentState from;
  AgentState to;
  std::string_view why;
};
// All transitions. EVOLVE is not among them: it is a job that REFLECT queues.
std::span<const AgentTransition> agent_transitions();
bool is_transition(AgentState from, AgentState to);

}  // namespace lamarck::agent
