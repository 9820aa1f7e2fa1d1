// Sessions of thought over a journal: what the eleven tools do.
//
// Each call decides on the fold over the session's events, appends what it
// decided, and applies it; if another writer was faster it reads and decides
// again. An answer is JSON text; the same key gets it again, byte for byte,
// also after a restart. Nothing is ever executed, opened or started.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/healing.h"
#include "lamarck/thought/session.h"
#include "lamarck/thought/thinker.h"

namespace lamarck::thought {

// Who asks, and under which key.
struct Caller {
  std::string node = "client";  // Its name in vector clocks.
  std::string idempotency_key;  // "" = a new request each time.
};

struct SessionStart {
  std::string goal;  // At most 400 characters.
  std::vector<std::string> success_criteria;
  SessionBudgets budgets;
};

enum class SessionAction : std::uint8_t {
  Status,
  Pause,
  Resume,
  Checkpoint,
  Restore,
  Complete,
  Fail
};

struct PlanStep {
  std::string session;
  std::string branch = "main";  // Id or name.
  std::string content;          // At most 400 characters.
  std::string role = "planner";
  bool is_critique = false;
  std::vector<std::string> parents;  // Events; empty = the branch's last one.
  std::string edge_type = "causes";
  // What the client has seen; empty = everything.
  store::ClockCounts vector_clock;
  std::int64_t token_cost = 0;  // 0 = estimated from the content.
  bool is_private = false;      // Never in digests and exports.
};

struct BranchFork {
  std::string session;
  std::string from = "main";
  struct Child {
    std::string name;
    std::string content;  // Its first thought.
  };
  std::vector<Child> children;  // At least one.
};
struct BranchMerge {
  std::string session;
  std::string into = "main";
  std::vector<std::string> from;
  std::string content;
};
struct BranchStop {
  std::string session;
  std::string branch;
  std::string reason;
};
struct BranchScoring {
  std::string session;
  std::string branch;
  BranchScore score;
};

enum class Strategy : std::uint8_t { Race, Best, Vote, Bandit };
struct ParallelRun {
  std::string session;
  std::vector<std::string> branches;  // Empty = all that are open.
  Strategy strategy = Strategy::Race;
  std::string plan_type = "ExecutionPlan";
  std::int64_t max_rounds = 4;  // Of thoughts by branch; 0 = only decide.
};

struct PlanValidation {
  std::string session;
  std::string branch = "main";
  std::string plan;  // JSON object.
  std::string plan_type = "ExecutionPlan";
  std::string schema;  // Registers plan_type in this session; "" = it is known.
};

struct Evidence {
  std::string session;
  std::string branch;
  // The same one is counted once, whatever the caller's key is.
  std::string execution_id;
  bool success = false;
  std::string summary;
  std::int64_t tests_passed = 0;
  std::int64_t tests_failed = 0;
  FailureReport failure;       // Unless it succeeded.
  std::string healing_action;  // Which strategy this was the trial of.
};

struct DocValidation {
  std::string session;
  std::string branch;
  std::string validation_id;  // As Evidence::execution_id.
  double compliance_score = 0;
  bool placement_correct = false;
  std::string summary;
};

struct EngineOptions {
  std::int64_t checkpoint_events = 100;
  std::chrono::milliseconds checkpoint_interval{300'000};
  std::size_t max_open_sessions = 256;  // Kept in memory; others are restored.
  std::string node = "lamarck";         // The engine's own name in clocks.
};

// Thread safety: any member from any thread; calls for one session take turns.
class ThoughtEngine {
 public:
  using Answer = Result<std::string>;

  // All outlive the engine.
  ThoughtEngine(EngineOptions options, store::Journal& journal, Clock& clock,
                Rng rng);
  ~ThoughtEngine();

  Answer start_session(const SessionStart& start, const Caller& caller);
  Answer control(std::string_view session, SessionAction action,
                 std::string_view note, const Caller& caller);
  Answer add_step(const PlanStep& step, const Caller& caller);
  Answer fork(const BranchFork& fork, const Caller& caller);
  Answer merge(const BranchMerge& merge, const Caller& caller);
  Answer stop_branch(const BranchStop& stop, const Caller& caller);
  Answer score_branch(const BranchScoring& scoring, const Caller& caller);
  Answer validate_plan(const PlanValidation& plan, const Caller& caller);
  // Of a validated branch only; it is then executing. While it is, the plan is
  // given again, and nothing is recorded.
  Answer export_plan(std::string_view session, std::string_view branch,
                     const Caller& caller);
  Answer receive_evidence(const Evidence& evidence, const Caller& caller);
  Answer export_doc_plan(std::string_view session, std::string_view branch,
                         const Caller& caller);
  Answer receive_doc_validation(const DocValidation& validation,
                                const Caller& caller);

  // A parallel run, step by step, so that it outlives the call and the process:
  // begin it, think what it wants (all of it at a time, in any order), tell the
  // replies, and ask again until there is an answer. A run that was left behind
  // is gone on with by the same call; one that only decides ends it, since
  // nobody thinks in it.
  Result<std::string> begin_parallel(const ParallelRun& run,
                                     const Caller& caller);  // Its id.
  // Tokens for them are reserved. Empty once the run has an answer.
  Result<std::vector<ThinkRequest>> wanted(std::string_view session,
                                           std::string_view run);
  // Replies to what is no longer wanted (a race that was won) are dropped.
  Result<void> accept(std::string_view session, std::string_view run,
                      std::string_view request, Result<ThoughtReply> reply);
  // Nothing while it goes on.
  Result<std::optional<std::string>> parallel_answer(std::string_view session,
                                                     std::string_view run);
  // Whether a reply would still count. Records nothing; for those who wait.
  bool is_wanted(std::string_view session, std::string_view run,
                 std::string_view request);
  // While somebody here keeps what this gives, the run counts as waited for,
  // and is not left behind.
  std::shared_ptr<const void> await_parallel(std::string_view session,
                                             std::string_view run);
  // Ends it without a winner and gives back what was reserved. NotFound if it
  // is not under way.
  Answer cancel_parallel(std::string_view session, std::string_view run,
                         const Caller& caller);
  // All of that with a thinker that may block: branches are thought of
  // concurrently, losers of a race are cancelled at once.
  Answer run_parallel(const ParallelRun& run, Thinker& thinker,
                      const Caller& caller, const CancelToken& cancel);

  // Reading. Views are JSON text.
  Result<Session> session(std::string_view id);  // The fold over its events.
  // As of now: in state warning or timeout if the clock says so, whether or not
  // that is recorded yet. So are the views.
  Result<Session> session_now(std::string_view id);
  Answer digest(std::string_view session, std::string_view branch,
                std::int64_t max_tokens = 200);
  Answer metrics(std::string_view session);
  Result<Healing> healing();

 private:
  struct State;
  Answer end_parallel(std::string_view session, std::string_view run,
                      const std::string& reason, const Caller& caller);

  std::unique_ptr<State> state_;
};

}  // namespace lamarck::thought
