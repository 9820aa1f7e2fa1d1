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

#include "lamarck/agent/agent_state.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/skills/skill.h"
#include "lamarck/skills/trace.h"
#include "lamarck/store/event.h"

namespace lamarck::agent {

inline constexpr std::string_view kAgentRunKind = "agent";

// Steps that belong together: a given plan, a skill, or one call that a model
// asked for. References in the arguments point to steps of the same group.
struct StepGroup {
  std::string call_id;   // Of the model's request; "" = of a given plan.
  std::string skill_id;  // "" = not a skill.
  std::string skill_name;
  std::string use_id;       // Of the ledger of skills.
  bool is_literal = false;  // The arguments contain no references.
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
Json to_json(const StepGroup& group);
Result<StepGroup> parse_step_group(const Json& json);

struct CallRecord {
  skills::ToolCall call;
  bool is_finished = false;
  std::size_t group = 0;
};

struct AgentRun {
  std::string id;
  std::string task;
  std::string org_id;
  std::string agent_id;
  std::string agent_name;
  std::string workspace;
  bool has_model = false;
  AgentState state = AgentState::Start;
  std::uint64_t head = 0;
  std::string last_event;

  std::vector<StepGroup> groups;
  std::vector<CallRecord> calls;
  std::set<std::string, std::less<>> permissions;  // Given in this run.
  Json messages = Json::array();  // What the model was sent and replied.
  std::string plan_answer;        // The answer of a given plan.
  double plan_reusability = 1;
  std::vector<std::string> skills_offered;  // Ids.
  Json suggestions = Json::object();  // By skill: arguments from the task.
  std::string session_id;             // Of the thought session.

  std::int64_t tokens = 0;
  std::int64_t money_micros = 0;
  std::int64_t model_calls = 0;
  std::int64_t time_ms = 0;
  std::optional<skills::Reflection> reflection;
  std::string answer;
  bool has_learned = false;  // EVOLVE was queued or refused.

  // The first group that is not done, or null.
  StepGroup* pending();
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
