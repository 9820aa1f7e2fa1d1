// Records an agent's plan as a thought session: the thoughts, the validated
// ExecutionPlan with its risk, and the evidence of what came of it. The session
// only observes: its failures never stop a task.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/agent/agent_run.h"
#include "lamarck/agent/planner_messages.h"
#include "lamarck/agent/tool_registry.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::agent {

// The id of the session, or nullopt.
std::optional<std::string> open_plan_session(thought::ThoughtEngine& thoughts,
                                             const AgentRun& run);
// Adds what the model said, and validates the steps as an ExecutionPlan.
void note_plan(thought::ThoughtEngine* thoughts, const AgentRun& run,
               const std::vector<StepGroup>& groups, std::string_view text,
               const ToolRegistry& tools);
// Forks a branch for each way, ends those that are not taken, and joins the
// chosen one.
void note_ways(thought::ThoughtEngine* thoughts, const AgentRun& run,
               const ComparedWays& compared);
// Returns the evidence to the session and ends it.
void close_plan_session(thought::ThoughtEngine* thoughts, const AgentRun& run,
                        const skills::Reflection& reflection);

}  // namespace lamarck::agent
