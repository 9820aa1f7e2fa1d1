// Thought sessions over a journal: the implementation of the thought tools.
//
// Each call decides on the current state of the session, appends the resulting
// events, and applies them. If another writer appended first, it reads the new
// events and decides again. An answer is JSON text. Repeating a request with
// the same key returns the same bytes, also after a restart. The engine only
// plans: it never executes a program or opens a file.

#pragma once

#include <chrono>
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

// Limits of the arguments; the schemas of the thought tools state the same.
inline constexpr std::size_t kMaxContent = 400;  // Characters of a text.
inline constexpr std::size_t kMaxCriteria = 50;
inline constexpr std::int64_t kMaxTokenBudget = 1'000'000'000;
inline constexpr std::chrono::milliseconds kMaxWallTime{31'536'000'000};
inline constexpr std::int64_t kMaxBranches = 1000;
inline constexpr std::size_t kMaxParents = 50;
inline constexpr std::size_t kMaxForked = 50;  // Branches in one call.
inline constexpr std::int64_t kMaxRounds = 50;

// Identifies the caller and, optionally, the request.
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
  bool is_private = false;      // Excluded from digests and exports.
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
  std::vector<std::string> branches;  // Empty = all open branches.
  Strategy strategy = Strategy::Race;
  std::string plan_type = "ExecutionPlan";
  std::int64_t max_rounds = 4;  // Thoughts per branch; 0 = only decide.
};

struct PlanValidation {
  std::string session;
  std::string branch = "main";
  std::string plan;  // JSON object.
  std::string plan_type = "ExecutionPlan";
  std::string schema;  // Registers plan_type; "" = already known.
  // JSON object; its similar_operations replace the recorded history of similar
  // plans.
  std::string context;
};

struct Evidence {
  std::string session;
  std::string branch;
  // An execution is counted once, whatever the caller's key is.
  std::string execution_id;
  bool success = false;
  std::string summary;
  std::int64_t tests_passed = 0;
  std::int64_t tests_failed = 0;
  FailureReport failure;       // If it failed.
  std::string healing_action;  // The strategy that was tried, if any.
  // Success criteria of the session that are now met or failed, by text or
  // number ("1"). Those that the plan of the branch lists follow `success`.
  std::vector<std::string> criteria_met;
  std::vector<std::string> criteria_failed;
};

struct DocValidation {
  std::string session;
  std::string branch;
  std::string validation_id;  // Like Evidence::execution_id.
  double compliance_score = 0;
  bool placement_correct = false;
  std::string summary;
};

struct EngineOptions {
  std::int64_t checkpoint_events = 100;
  std::chrono::milliseconds checkpoint_interval{300'000};
  std::size_t max_open_sessions = 256;  // In memory; others are restored.
  std::string node = "lamarck";         // The engine's name in vector clocks.
};

// Thread safety: all members may be called from any thread. Calls for one
// session are serialized.
class ThoughtEngine {
 public:
  using Answer = Result<std::string>;

  // `journal` and `clock` must outlive the engine.
  ThoughtEngine(EngineOptions options, store::Journal& journal, Clock& clock,
                Rng rng);
  ~ThoughtEngine();

  Answer start_session(const SessionStart& start, const Caller& caller);
  Answer control(std::string_view session, SessionAction action,
                 std::string_view note, const Caller& caller);
  // Adds to the wall time, also after it is used up, as long as the session has
  // not ended.
  Answer extend_time(std::string_view session, std::chrono::milliseconds more,
                     std::string_view note, const Caller& caller);
  // Saves a checkpoint that says where the events up to it are moved to.
  Answer mark_pruned(std::string_view session, const std::string& file);
  Answer add_step(const PlanStep& step, const Caller& caller);
  Answer fork(const BranchFork& fork, const Caller& caller);
  Answer merge(const BranchMerge& merge, const Caller& caller);
  Answer stop_branch(const BranchStop& stop, const Caller& caller);
  Answer score_branch(const BranchScoring& scoring, const Caller& caller);
  Answer validate_plan(const PlanValidation& plan, const Caller& caller);
  // Requires a validated branch, which is executing afterwards. A repeated call
  // while it is executing returns the plan again and records nothing.
  Answer export_plan(std::string_view session, std::string_view branch,
                     const Caller& caller);
  // Also accepted, and marked as late, after the session has ended.
  Answer receive_evidence(const Evidence& evidence, const Caller& caller);
  Answer export_doc_plan(std::string_view session, std::string_view branch,
                         const Caller& caller);
  Answer receive_doc_validation(const DocValidation& validation,
                                const Caller& caller);

  // A parallel run, step by step, so that it survives the call and the process:
  // begin it, answer the wanted requests in any order, pass the replies to
  // accept(), and repeat until parallel_answer() has a value. Calling again
  // with the same arguments resumes an abandoned run. A run with max_rounds = 0
  // ends an abandoned run of the same branches instead.
  Result<std::string> begin_parallel(const ParallelRun& run,
                                     const Caller& caller);  // Run id.
  // The pending requests; their tokens are reserved. Empty once the run has an
  // answer.
  Result<std::vector<ThinkRequest>> wanted(std::string_view session,
                                           std::string_view run);
  // Takes replies in the order in which they arrived. A race ends with the
  // first valid plan; other strategies compare all replies of the call. Of a
  // reply that is no longer wanted (the race is won) only the tokens count.
  Result<void> accept(std::string_view session, std::string_view run,
                      const std::vector<RequestReply>& replies);
  Result<void> accept(std::string_view session, std::string_view run,
                      std::string_view request, Result<ThoughtReply> reply);
  // nullopt while the run continues.
  Result<std::optional<std::string>> parallel_answer(std::string_view session,
                                                     std::string_view run);
  // Returns whether a reply would still count. Records nothing; for polling.
  bool is_wanted(std::string_view session, std::string_view run,
                 std::string_view request);
  // While the returned object lives, the run counts as awaited, not as
  // abandoned.
  std::shared_ptr<const void> await_parallel(std::string_view session,
                                             std::string_view run);
  // Ends the run without a winner and releases its reserved tokens. NotFound if
  // the run is not active.
  Answer cancel_parallel(std::string_view session, std::string_view run,
                         const Caller& caller);
  // Runs all of these steps with a thinker that may block. Branches think
  // concurrently; the losers of a race are cancelled immediately.
  Answer run_parallel(const ParallelRun& run, Thinker& thinker,
                      const Caller& caller, const CancelToken& cancel);

  // Reading. Views are JSON text.
  Result<Session> session(std::string_view id);  // As recorded.
  // The current state: warning or timeout if the clock says so, even if that is
  // not recorded yet. The views below use it too.
  Result<Session> session_now(std::string_view id);
  // Summarizes the session, or one branch; "#12" in the text is an event.
  Answer digest(std::string_view session, std::string_view branch,
                std::int64_t max_tokens = 200);
  // One event by its id or number ("12" or "#12").
  Answer event(std::string_view session, std::string_view name);
  // The events after the number `after`, or those that led to the branch; at
  // most `limit`.
  Answer events(std::string_view session, std::uint64_t after,
                std::size_t limit);
  Answer path(std::string_view session, std::string_view branch,
              std::uint64_t after, std::size_t limit);
  Answer metrics(std::string_view session);
  Result<Healing> healing();
  // How plans ended, over all sessions, and the rates of healing strategies:
  // {"rates": [...], "plans": [...]}.
  Answer history();
  // Forgets both; what is recorded stays in the journal.
  Result<void> reset_history();

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace lamarck::thought
