// Runs an agent: moves through its states, calls tools, and records everything
// in the journal before and after it happens.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/agent/agent_permission.h"
#include "lamarck/agent/agent_plan.h"
#include "lamarck/agent/agent_run.h"
#include "lamarck/agent/loop_guard.h"
#include "lamarck/agent/planner.h"
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

// Asks whether a call of a tool with dangerous capabilities may be made.
using AskApproval = std::function<Approval(const skills::ToolInfo& tool,
                                           const Json& arguments)>;
// Reports each event of the run after it is durable.
using WatchAgent = std::function<void(std::string_view type, const Json& data)>;

// An agent of the organization that can get a part of a task.
struct DelegateAgent {
  skills::AgentRecord agent;
  std::shared_ptr<Planner> planner;  // Null = only given plans.
};
using FindDelegate = std::function<Result<DelegateAgent>(const std::string&)>;

// A run may delegate to a run that delegates, and so on.
inline constexpr std::size_t kMaxDelegations = 3;

struct AgentRunnerOptions {
  skills::AgentRecord agent;
  std::string workspace;  // For resuming.
  // Steps are counted as evaluations.
  BudgetLimits limits;
  BudgetHistory spent;      // By earlier runs that share the limits.
  bool allows_all = false;  // No questions.
  AskApproval ask;          // Empty = dangerous calls are refused.
  WatchAgent watch;
  std::shared_ptr<Planner> planner;         // Null = only given plans.
  skills::SkillLibrary* library = nullptr;  // Null = nothing is learned.
  FindDelegate find_delegate;  // By name; empty = nothing is delegated.
  // Of a conversation: the run before, and the messages of the user and the
  // assistant so far as {"role", "content"}.
  std::string previous;
  Json history = Json::array();
  // Recorded with the run: who started it, and the process that works on it.
  std::string starter;
  Json process;
};

// Owned by one thread at a time.
class AgentRunner {
 public:
  // All arguments must outlive the runner.
  AgentRunner(AgentRunnerOptions options, const ToolRegistry& tools,
              store::Journal& journal, Clock& clock, Rng rng);

  // Works on a task to its end, by the plan if one is given. Without a plan and
  // a planner, by a skill that fits. A task that is not
  // solved is not an error: see the reflection. Cancelled stops the run, which
  // can be resumed. Before its end it returns only with a question.
  Result<AgentRun> run(const std::string& task,
                       const std::optional<AgentPlan>& plan,
                       const CancelToken& cancel);
  // Continues a run after a crash or an interruption. A call that may have
  // happened is made again only if the tool is idempotent.
  Result<AgentRun> resume(const std::string& id, const CancelToken& cancel);

  // The rest is for runs that nobody works on at the moment.
  // Records a run that waits for `resume`.
  Result<AgentRun> begin(const std::string& task,
                         const std::optional<AgentPlan>& plan,
                         const CancelToken& cancel);
  // Answers the question of a run; `resume` continues it. The question of
  // `given` is not used.
  Result<AgentRun> answer(const std::string& id, const PermissionAnswer& given);
  // The run waits for `resume`.
  Result<AgentRun> queue(const std::string& id);
  Result<AgentRun> stop(const std::string& id, const Error& why);
  // Notes the run that continues its conversation.
  Result<void> link_next(const std::string& id, const std::string& next);

 private:
  // The run that delegates to this runner.
  struct ParentRun {
    std::string id;
    std::size_t depth = 0;  // Of the child.
  };
  Result<void> check_plan(const AgentPlan& plan) const;
  Result<AgentPlan> find_plan(const std::string& task,
                              const CancelToken& cancel) const;
  Result<AgentRun> load(const std::string& id);
  Result<AgentRun> prepare(const std::string& id, const std::string& task,
                           std::optional<AgentPlan> plan,
                           const ParentRun& parent, std::string state,
                           const CancelToken& cancel);
  Result<AgentRun> start(const std::string& id, const std::string& task,
                         std::optional<AgentPlan> plan, const ParentRun& parent,
                         const CancelToken& cancel);
  Result<void> record(AgentRun& run, std::string_view type, Json data,
                      std::int64_t tokens = 0,
                      std::optional<std::string> new_state = std::nullopt);
  Result<void> move(AgentRun& run, AgentState to);
  Result<AgentRun> work(AgentRun run, const CancelToken& cancel);
  Result<void> step(AgentRun& run, const CancelToken& cancel);
  Result<void> plan(AgentRun& run, const CancelToken& cancel);
  Result<void> act(AgentRun& run, const CancelToken& cancel);
  Result<void> follow_plan(AgentRun& run);
  Result<void> observe(AgentRun& run, const CancelToken& cancel);
  Result<void> reflect(AgentRun& run);
  Result<void> take_turn(AgentRun& run, const CancelToken& cancel);
  Result<void> refuse(AgentRun& run, std::size_t group, const Error& why);
  // Both: false = the run waits for a person; an error = not allowed.
  Result<bool> check_permission(AgentRun& run, const Tool& tool,
                                const Json& arguments);
  Result<bool> ask_person(AgentRun& run, const skills::ToolInfo& tool,
                          const PermissionQuestion& question,
                          const std::string& refusal);
  Result<void> wait_for_answer(AgentRun& run,
                               const PermissionQuestion& question);
  Result<void> make_call(AgentRun& run, std::size_t group, const Tool& tool,
                         const Json& arguments, const CancelToken& cancel);
  Result<void> call_tool(AgentRun& run, std::size_t group,
                         const CancelToken& cancel);
  // nullopt = no limit.
  std::optional<std::int64_t> steps_left() const;
  // Reserves amounts, whose evaluations are steps.
  Result<Reservation> reserve(const BudgetAmounts& amounts);
  // Refuses the step and, unless a model can still answer, ends the run.
  Result<void> refuse_unpaid(AgentRun& run, std::size_t group,
                             const Error& why);
  Result<void> settle_unfinished(AgentRun& run);

  // Steps that call skills: agent_skill_steps.cc.
  Result<void> call_skill(AgentRun& run, std::size_t group);
  Result<StepGroup> make_called_group(const AgentRun& run, std::size_t group);

  // Steps for other agents: agent_delegation.cc.
  struct Delegation;
  Result<void> delegate(AgentRun& run, const CancelToken& cancel);
  Result<Delegation> make_delegation(AgentRun& run, const StepGroup& group);
  Result<bool> check_delegate(AgentRun& run, const DelegateAgent& other,
                              const Json& arguments);
  Result<void> refuse_delegation(AgentRun& run, std::size_t group,
                                 const Error& why);
  Result<void> run_delegation(AgentRun& run, const Delegation& delegation,
                              Reservation reservation,
                              const CancelToken& cancel);
  static Result<void> pass_answer(const AgentRun& run,
                                  const std::string& child_run,
                                  AgentRunner& child);
  Result<AgentRun> run_child(const AgentRun& run, const Delegation& delegation,
                             const CancelToken& cancel);
  Result<void> report_groups(AgentRun& run);
  Result<void> learn(AgentRun& run);
  Result<void> stop(AgentRun& run, const Error& why);

  AgentRunnerOptions options_;
  const ToolRegistry& tools_;
  store::Journal& journal_;
  Clock& clock_;
  Rng rng_;
  IdGenerator ids_;
  std::optional<Budget> budget_;  // Of the current run.
  struct Guard {
    LoopGuard loop;
    bool has_ended = false;    // Nothing more may be called.
    bool was_refused = false;  // For lack of budget.
  };
  std::optional<Guard> guard_;  // Of the current run.
};

}  // namespace lamarck::agent
