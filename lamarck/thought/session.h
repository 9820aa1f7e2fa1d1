// The state of a thought session, computed by applying its events in order.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/store/event.h"
#include "lamarck/thought/branch_score.h"
#include "lamarck/thought/branch_state.h"
#include "lamarck/thought/session_state.h"

namespace lamarck::thought {

struct SessionBudgets {
  std::int64_t tokens = 20'000;
  std::chrono::milliseconds wall_time{600'000};
  std::int64_t branches = 5;  // Not counting main.
};

struct Branch {
  std::string id;    // "branch_1"; the first is "main".
  std::string name;  // Given by the client.
  std::string from;  // The branch it was forked from; "" for main.
  BranchState state = BranchState::Init;
  std::string head;  // Its last event.
  BranchScore score;
  bool is_scored = false;
  std::string plan_type;  // Type of its last plan; "" = none yet.
  std::string plan;       // JSON.
  std::int64_t tokens = 0;
  std::int64_t steps = 0;
  std::int64_t thoughts = 0;  // By a Thinker.
  std::chrono::milliseconds thinking_time{0};
  std::int64_t rejections = 0;
  std::string outcome;          // Why it ended: "race_winner", "race_lost", ...
  std::uint64_t created = 0;    // Seq of the event that created it.
  std::uint64_t validated = 0;  // Seq of the validation it passed.
  std::string last_thought;     // From its non-private steps.
  std::string last_critique;    // Non-private; for the next plan.
  std::string last_failure;     // Category of the last failed execution.
  std::string last_evidence;    // "success", "failure"; "" = none yet.
  std::vector<std::string> failures;  // Signatures, the latest kMaxFailures.
  static constexpr std::size_t kMaxFailures = 20;
  // Numbers of the events that the lines above come from; 0 = none.
  std::uint64_t changed = 0;  // Its last event.
  std::uint64_t thought_seq = 0;
  std::string thought_event;  // Its id.
  std::uint64_t critique_seq = 0;
  std::uint64_t evidence_seq = 0;
};

struct Alert {
  std::string kind;  // budget, risk.
  std::string message;
  std::string event;
};

// Whether a success criterion is fulfilled, as the evidence says.
struct CriterionState {
  std::string state = "open";  // open, met, failed.
  std::uint64_t seq = 0;       // The event that says so; 0 = none.
};

// A choice that later thoughts build on.
struct Decision {
  std::uint64_t seq = 0;
  std::string text;
};

// The version of to_json(Session). A checkpoint of an older version is used
// only if the events before it were pruned; otherwise they are replayed.
inline constexpr std::int64_t kSessionVersion = 2;

// REQUIRES: events are applied in the order of seq, without gaps. A copy is
// cheap enough for a checkpoint, but not for every call.
struct Session {
  std::string id;
  std::string goal;
  std::vector<std::string> success_criteria;
  std::vector<CriterionState> criteria;  // One for each success criterion.
  SessionBudgets budgets;
  SessionState state = SessionState::Init;
  SessionState before_pause = SessionState::Active;
  std::chrono::milliseconds time_used{
      0};  // Up to the last event; without pauses.
  std::int64_t tokens_used = 0;
  std::int64_t tokens_reserved = 0;  // For pending requests to thinkers.
  std::map<std::string, Branch, std::less<>> branches;  // By id.
  store::ClockCounts vector_clock;
  std::uint64_t head = 0;
  std::string last_event;
  Clock::WallTime last_time{};  // Time of that event.
  std::map<std::string, std::int64_t, std::less<>> event_counts;  // By type.
  std::vector<Alert> alerts;        // The latest kMaxAlerts.
  std::vector<Decision> decisions;  // The latest kMaxDecisions.
  // Event ids: exported and passed plans, evidence, the end.
  std::vector<std::string> evidence_chain;
  // The same with the thoughts that led to plans, and with rejected plans;
  // empty in checkpoints of version 1.
  std::vector<std::string> evidence_links;
  std::string winner;          // Branch id.
  std::string first_evidence;  // "success", "failure"; "" = none.
  // JSON Schemas registered in this session, by plan type.
  std::map<std::string, std::string, std::less<>> plan_schemas;

  // Active parallel runs by id, as text (internal/parallel_state.h).
  std::map<std::string, std::string, std::less<>> parallel_runs;

  // Where `prune` moved events to, and the last one it moved; "" = nowhere.
  std::string pruned_to;
  std::uint64_t pruned_seq = 0;
  // Requests that were given up, and what was counted for them. A reply that
  // still arrives adds the rest of its cost.
  std::map<std::string, std::int64_t, std::less<>> late_requests;

  static constexpr std::size_t kMaxAlerts = 50;
  static constexpr std::size_t kMaxDecisions = 8;
};

// Applies the next event. DataDamaged if it is not legal in this state; the
// session is then half-updated and must be discarded.
Result<void> apply(Session& session, const store::Event& event);

Json to_json(const Session& session);
Result<Session> session_from_json(const Json& json);

}  // namespace lamarck::thought
