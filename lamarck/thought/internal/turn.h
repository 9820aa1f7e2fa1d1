// One call's work on a session: events that are applied as they are added, and
// appended to the journal together.

#pragma once

#include <chrono>
#include <cstdint>
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

// What is to become an event.
struct Draft {
  std::string_view type;
  std::string branch;  // Its id; "" = of the session as a whole.
  std::string role = "planner";
  std::string content;
  Moves moves;
  std::vector<store::Edge> parents;        // Empty = the head of the branch.
  std::optional<store::ClockCounts> seen;  // Nothing = everything.
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
  std::chrono::milliseconds time_used{0};  // Of the session, as of now.
};

// While it has added nothing the session is as it was.
class Turn {
 public:
  Turn(Session& session, const TurnSetup& setup);

  const Session& session() const { return session_; }
  std::chrono::milliseconds time_used() const { return setup_.time_used; }
  // By id or name. NotFound names those there are.
  Result<const Branch*> branch(std::string_view id_or_name) const;

  // Applies it and returns its id. REQUIRES: it can follow.
  std::string add(Draft draft, Json details);

  // Whether work can go on: the session has not ended, is not paused, and has
  // time left; if the time is over it is ended here.
  Result<void> check_open();
  // That so many tokens are left; if not the session is ended here.
  Result<void> check_tokens(std::int64_t tokens);
  std::int64_t tokens_left() const;

  // Stops the branch if the table has a way. Returns whether.
  bool stop(const std::string& branch, BranchTrigger trigger,
            const std::string& reason);
  // Stops what is open and ends the session.
  void end_session(SessionState state, const std::string& note,
                   bool is_by_engine);
  // Warns where 80 % are used. After everything else.
  void warn();

  // The call failed, and that is itself recorded.
  bool is_ended() const { return is_ended_; }
  const std::vector<store::Event>& events() const { return events_; }
  std::vector<store::Event> take_events() { return std::move(events_); }

  // Under which the answer is kept; a decision may set it.
  std::string answer_key;
  std::string answer_digest;

 private:
  Error ended_error(SessionState state) const;
  store::Event made(Draft draft, std::string constraints);

  Session& session_;
  const TurnSetup& setup_;
  std::vector<store::Event> events_;
  bool is_ended_ = false;
};

// An error for a session that takes no more work.
Error closed_error(const Session& session);

}  // namespace lamarck::thought::internal
