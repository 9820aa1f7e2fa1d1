// The records of the journal: events, runs and checkpoints.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lamarck/base/clock.h"

namespace lamarck::store {

// A vector clock: steps per writer, such as {"client-a": 3, "server": 12}.
using ClockCounts = std::map<std::string, std::uint64_t, std::less<>>;

// A link from an event to an earlier one.
struct Edge {
  std::string from;             // The id of the earlier event.
  std::string type = "causes";  // Or refines, contradicts, supports.

  friend bool operator==(const Edge&, const Edge&) = default;
};

// The columns of the table `events`. Text is UTF-8. JSON columns are stored as
// given and never parsed; "" means NULL.
struct Event {
  std::string id;    // "evt_<uuid>"; chosen by the writer.
  std::string type;  // plan_step, critique, branch, merge, validate, ...
  std::vector<Edge> parents;
  ClockCounts vector_clock;

  std::string role;         // planner, critic, tester, decider.
  std::string content;      // At most 400 characters.
  std::string constraints;  // JSON: further data of the event type.
  std::string score;        // JSON.

  std::string status = "open";  // Or done, rejected, early_stopped.
  std::string early_stop_reason;

  std::string failure_signature;  // 16 hex digits.
  std::int64_t retry_count = 0;

  std::int64_t token_cost = 0;
  std::int64_t walltime_ms = 0;
  Clock::WallTime ts{};
  std::int64_t version = 1;

  // Set by the journal.
  std::string run;        // The column `session_id`.
  std::uint64_t seq = 0;  // 1, 2, 3 ... within the run, without gaps.

  friend bool operator==(const Event&, const Event&) = default;
};

// Anything that has events: a session, an evolution, a task.
struct Run {
  std::string id;
  std::string kind;   // "thought", "task", "healing", ...
  std::string title;  // For lists; one line.
  std::string state;  // For lists; the last append that set it wins.
  Clock::WallTime created{};
  Clock::WallTime updated{};
  std::uint64_t head = 0;  // The seq of the last event.

  friend bool operator==(const Run&, const Run&) = default;
};

// A saved state of the fold over a run's events, so that a replay need not
// start at event 1.
struct Checkpoint {
  std::string run;
  std::uint64_t seq = 0;       // The last event included.
  std::string last_event_id;   // The id of that event.
  std::string state_snapshot;  // JSON.
  Clock::WallTime ts{};

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

}  // namespace lamarck::store
