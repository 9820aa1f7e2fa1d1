// The state of an agent's run, computed by applying its events in order. After
// a crash, the same events give the same state.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/agent/agent_permission.h"
#include "lamarck/agent/agent_state.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/skills/skill.h"
#include "lamarck/skills/trace.h"
#include "lamarck/store/event.h"

namespace lamarck::agent {

inline constexpr std::string_view kAgentRunKind = "agent";
// The tool of a step that another agent works on.
inline constexpr std::string_view kDelegateTool = "delegate";

// Steps that belong together: a given plan, a skill, or one call that a model
// asked for. References in the arguments point to steps of the same group.
struct StepGroup {
  std::string call_id;   // Of the model's request; "" = of a given plan.
  std::string skill_id;  // "" = not a skill.
  std::string skill_name;
  std::string use_id;       // Of the ledger of skills.
  bool is_literal = false;  // The arguments contain no references.
  // Of a skill that another group calls with its step `caller_step`.
  std::optional<std::size_t> caller;
  std::size_t caller_step = 0;
  std::vector<skills::SkillStep> steps;
  Json params = Json::object();
  std::string error;  // Why nothing can be called, or why a step was refused.

  // What came of it.
  std::vector<Json> results;
  bool has_failed = false;
  bool is_reported = false;  // The ledger and the model know the outcome.
  bool is_done() const {
    return has_failed || !error.empty() || results.size() == steps.size();
  }
  bool has_succeeded() const {
    return !has_failed && error.empty() && results.size() == steps.size();
  }
};
// Limits of steps, tokens, money and time that are set.
Json to_json(const BudgetLimits& limits);
BudgetLimits parse_budget_limits(const Json& json);
Json to_json(const StepGroup& group);
Result<StepGroup> parse_step_group(const Json& json);

struct CallRecord {
  skills::ToolCall call;
  bool is_finished = false;
  std::size_t group = 0;
  std::string child_run;      // Of a sub-task of another agent; "" = of a tool.
  BudgetLimits child_limits;  // Of that run.
};

struct AgentRun {
  std::string id;
  std::string task;
  std::string org_id;
  std::string agent_id;
  std::string agent_name;
  std::string workspace;
  bool has_model = false;
  std::string parent;     // The run that delegated the task; "" = none.
  std::size_t depth = 0;  // How many runs delegated before this one.
  std::string previous;   // The run before it in a conversation; "" = none.
  Json history = Json::array();  // Earlier messages of the conversation.
  std::string next;              // The run after it; "" = none yet.
  Json plan;                     // A given plan; null = none.
  BudgetLimits limits;           // As given at the start.
  std::string starter;           // "server"; "" = the command line.
  Json process;                  // That works on it; null = unknown.
  AgentState state = AgentState::Start;
  std::uint64_t head = 0;
  std::string last_event;

  std::vector<StepGroup> groups;
  std::vector<CallRecord> calls;
  std::set<std::string, std::less<>> permissions;  // Given in this run.
  std::optional<PermissionQuestion> question;      // It waits for the answer.
  std::vector<PermissionAnswer> answers;
  bool has_unused_answer = false;  // The last one is for the next step.
  std::string stop_message;        // Why it was stopped; "" = it was not.
  Json messages = Json::array();   // What the model was sent and replied.
  std::string plan_answer;         // The answer of a given plan.
  double plan_reusability = 1;
  std::vector<std::string> skills_offered;  // Ids.
  Json suggestions = Json::object();  // By skill: arguments from the task.
  std::string session_id;             // Of the thought session.

  // With those of delegated sub-tasks.
  std::int64_t tokens = 0;
  std::int64_t money_micros = 0;
  std::int64_t delegated_steps = 0;
  std::int64_t model_calls = 0;
  std::int64_t time_ms = 0;
  std::optional<skills::Reflection> reflection;
  std::string answer;
  bool has_learned = false;  // EVOLVE was queued or refused.

  // The first group that is not done, or the skill that it waits for; or null.
  StepGroup* pending();
  // Whether the next step is for another agent.
  bool is_delegation_next();
  // The skill that the next step of `group` called; null = none yet.
  const StepGroup* called_group(std::size_t group) const;
  // Calls of tools and agents, with those of delegated sub-tasks.
  std::int64_t step_count() const;
  // The answer to the question of the next step, or null.
  const PermissionAnswer* answer_to(const PermissionQuestion& asked) const;
  // A call that was started and not finished, or null.
  const CallRecord* unfinished() const;
};

// Applies the next event; DataDamaged if it is not legal.
Result<void> apply(AgentRun& run, const store::Event& event);
// Applies all events of a run.
Result<AgentRun> fold_agent_run(const std::string& id,
                                const std::vector<store::Event>& events);

// What the run leaves for learning.
skills::Trace make_trace(const AgentRun& run);
Json to_json(const AgentRun& run);

}  // namespace lamarck::agent
