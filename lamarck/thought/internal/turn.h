// The work of one call on a session: events are applied as they are added, and
// appended to the journal together.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/id.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/store/event.h"
#include "lamarck/thought/internal/branch_moves.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// The fields of an event to be added.
struct Draft {
  std::string_view type;
  std::string branch;  // Its id; "" = the session as a whole.
  std::string role = "planner";
  std::string content;
  Moves moves;
  std::vector<store::Edge> parents;        // Empty = the head of the branch.
  std::optional<store::ClockCounts> seen;  // nullopt = everything.
  bool is_by_engine = false;
  std::string score;
  std::string status = "done";
  std::string early_stop_reason;
  std::string failure_signature;
  std::int64_t retry_count = 0;
  std::int64_t token_cost = 0;
};

struct TurnSetup {
  IdGenerator& ids;
  const Clock& clock;
  std::string_view engine_node;
  std::string_view caller_node;
  std::chrono::milliseconds time_used{0};  // By the session, up to now.
  // Returns whether no call works on the parallel run or waits for its replies;
  // null = never.
  std::function<bool(std::string_view run)> is_abandoned = nullptr;
};

// Changes the session only by adding events.
class Turn {
 public:
  Turn(Session& session, const TurnSetup& setup);

  const Session& session() const { return session_; }
  std::chrono::milliseconds time_used() const { return setup_.time_used; }
  Clock::WallTime wall_time() const { return setup_.clock.wall_time(); }
  // Finds a branch by id or name. NotFound lists the existing ones.
  Result<const Branch*> branch(std::string_view id_or_name) const;

  // Applies the event and returns its id. REQUIRES: the event is legal in the
  // current state.
  std::string add(Draft draft, Json details);

  // Fails if the session has ended or is paused. If its time is used up, ends
  // it and fails.
  Result<void> check_open();
  // Fails if fewer than `tokens` tokens are left, and then ends the session;
  // but if abandoned parallel runs still have tokens, runs_to_end() lists them,
  // and the call must be repeated after they have ended.
  Result<void> check_tokens(std::int64_t tokens);
  std::int64_t tokens_left() const;

  // Stops the branch if the transition table allows it. Returns whether it did.
  bool stop(const std::string& branch, BranchTrigger trigger,
            const std::string& reason);
  // Stops all open branches and ends the session.
  void end_session(SessionState state, const std::string& note,
                   bool is_by_engine);
  // Adds a warning if 80 % of a budget is used. Call it last.
  void warn();

  // True if the call failed and its failure ended the session; the events are
  // then recorded all the same.
  bool is_ended() const { return is_ended_; }
  const std::vector<std::string>& runs_to_end() const { return runs_to_end_; }
  const std::vector<store::Event>& events() const { return events_; }
  std::vector<store::Event> take_events() { return std::move(events_); }

  // The key under which the answer is stored; a decision may set it.
  std::string answer_key;
  std::string answer_digest;

 private:
  store::Event made(Draft draft, std::string constraints);
  std::vector<std::string> abandoned_runs() const;

  Session& session_;
  const TurnSetup& setup_;
  std::vector<store::Event> events_;
  bool is_ended_ = false;
  std::vector<std::string> runs_to_end_;
};

// The error for a session that is paused or has ended.
Error closed_error(const Session& session);

}  // namespace lamarck::thought::internal
