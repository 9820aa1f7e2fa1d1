#include "lamarck/agent/agent_state.h"

#include <algorithm>
#include <array>

namespace lamarck::agent {
namespace {

constexpr std::array kTransitions = {
    AgentTransition{AgentState::Start, AgentState::Plan,
                    "the task is understood"},
    AgentTransition{AgentState::Plan, AgentState::Act,
                    "the plan is carried out"},
    AgentTransition{AgentState::Plan, AgentState::Delegate,
                    "another agent gets a part of it"},
    AgentTransition{AgentState::Plan, AgentState::Respond,
                    "nothing needs to be done"},
    AgentTransition{AgentState::Act, AgentState::Observe,
                    "the calls have returned"},
    AgentTransition{AgentState::Delegate, AgentState::Observe,
                    "the other agent has returned"},
    AgentTransition{AgentState::Observe, AgentState::Plan,
                    "a new plan is needed"},
    AgentTransition{AgentState::Observe, AgentState::Act, "the plan goes on"},
    AgentTransition{AgentState::Observe, AgentState::Reflect,
                    "the task is finished"},
    AgentTransition{AgentState::Reflect, AgentState::Respond,
                    "the result is summed up"},
    AgentTransition{AgentState::Respond, AgentState::End,
                    "the answer is given"},
};

constexpr std::array<std::string_view, 8> kNames = {
    "START", "PLAN", "ACT", "DELEGATE", "OBSERVE", "REFLECT", "RESPOND", "END"};

}  // namespace

std::string_view agent_state_name(AgentState state) {
  return kNames[static_cast<std::size_t>(state)];
}

std::span<const AgentTransition> agent_transitions() { return kTransitions; }

bool is_transition(AgentState from, AgentState to) {
  return std::ranges::any_of(kTransitions, [&](const AgentTransition& one) {
    return one.from == from && one.to == to;
  });
}

}  // namespace lamarck::agent
