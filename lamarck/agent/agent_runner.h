// Runs an agent: moves through its states, calls tools, and records everything
// in the journal before and after it happens.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/agent/agent_plan.h"
#include "lamarck/agent/agent_run.h"
#include "lamarck/agent/tool_registry.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/id.h"
#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"
#include "lamarck/skills/agent_record.h"
#include "lamarck/skills/skill_library.h"
#include "lamarck/store/journal.h"

namespace lamarck::agent {

// What a planner wants next: groups of steps, or the end of the task.
struct PlannedTurn {
  Json sent = Json::array();  // New messages to the model.
  Json reply;                 // Its message; null if it was not asked.
  std::int64_t tokens = 0;
  std::int64_t money_micros = 0;
  std::vector<StepGroup> groups;
  // Set if the task is finished.
  std::optional<skills::Reflection> reflection;
  std::string answer;
};

// Decides what to do, given what has happened.
class Planner {
 public:
  virtual ~Planner() = default;
  // `record` writes an event of the run.
  using Record = std::function<Result<void>(std::string_view type, Json data)>;
  virtual Result<PlannedTurn> next(const AgentRun& run, Budget& budget,
                                   const Record& record,
                                   const CancelToken& cancel) = 0;
};

enum class Approval : std::uint8_t { Once, Always, Never };
// Asks whether a call of a tool with dangerous capabilities may be made.
using AskApproval = std::function<Approval(const skills::ToolInfo& tool,
                                           const Json& arguments)>;
// Reports each event of the run after it is durable.
using WatchAgent = std::function<void(std::string_view type, const Json& data)>;

struct AgentRunnerOptions {
  skills::AgentRecord agent;
  std::string workspace;  // For resuming.
  // Steps are counted as evaluations.
  BudgetLimits limits;
  bool allows_all = false;  // No questions.
  AskApproval ask;          // Empty = dangerous calls are refused.
  WatchAgent watch;
  std::shared_ptr<Planner> planner;         // Null = only given plans.
  skills::SkillLibrary* library = nullptr;  // Null = nothing is learned.
};

// Owned by one thread at a time.
class AgentRunner {
 public:
  // All arguments must outlive the runner.
  AgentRunner(AgentRunnerOptions options, const ToolRegistry& tools,
              store::Journal& journal, Clock& clock, Rng rng);

  // Works on a task to its end, by the plan if one is given. A task that is not
  // solved is not an error: see the reflection. Cancelled stops the run, which
  // can be resumed.
  Result<AgentRun> run(const std::string& task,
                       const std::optional<AgentPlan>& plan,
                       const CancelToken& cancel);
  // Continues a run after a crash or an interruption. A call that may have
  // happened is made again only if the tool is idempotent.
  Result<AgentRun> resume(const std::string& id, const CancelToken& cancel);

 private:
  Result<void> record(AgentRun& run, std::string_view type, Json data,
                      std::int64_t tokens = 0,
                      std::optional<std::string> new_state = std::nullopt);
  Result<void> move(AgentRun& run, AgentState to);
  Result<AgentRun> work(AgentRun run, const CancelToken& cancel);
  Result<void> step(AgentRun& run, const CancelToken& cancel);
  Result<void> plan(AgentRun& run, const CancelToken& cancel);
  Result<void> act(AgentRun& run, const CancelToken& cancel);
  Result<void> observe(AgentRun& run, const CancelToken& cancel);
  Result<void> reflect(AgentRun& run);
  Result<void> take_turn(AgentRun& run, const CancelToken& cancel);
  Result<void> refuse(AgentRun& run, std::size_t group, const Error& why);
  Result<void> check_permission(AgentRun& run, const Tool& tool,
                                const Json& arguments);
  Result<void> make_call(AgentRun& run, std::size_t group, const Tool& tool,
                         const Json& arguments, const CancelToken& cancel);
  Result<void> settle_unfinished(AgentRun& run);
  Result<void> report_groups(AgentRun& run);
  Result<void> learn(AgentRun& run);
  Result<void> stop(AgentRun& run, const Error& why);

  AgentRunnerOptions options_;
  const ToolRegistry& tools_;
  store::Journal& journal_;
  Clock& clock_;
  IdGenerator ids_;
  std::optional<Budget> budget_;  // Of the current run.
  struct Guard;
  std::shared_ptr<Guard> guard_;  // Of the current run.
};

}  // namespace lamarck::agent
