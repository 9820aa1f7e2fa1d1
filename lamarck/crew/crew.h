// A crew: processes that share out the pieces of a computation.
//
// One process, the leader, runs an algorithm. It hands out the pieces of each
// step, gets their results and continues. All others, the members, run the same
// program up to the same place and serve the leader there:
//
//   if (!crew.is_leader()) return decode(crew.serve(work));
//   while (...) results = crew.map(request);
//   crew.end_stage(encode(outcome));
//
// A piece is computed from its input alone, so results depend neither on the
// number of members nor on who computes what. A lost member costs its
// unfinished pieces, which others compute again. Whoever joins late works from
// the current step on, and gets what earlier stages ended with.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"

namespace lamarck::crew {

// Computes piece `index`. Called by several threads at once, but never twice at
// once for the same index. An exception becomes an Error of `map`.
using Work =
    std::function<std::string(std::size_t index, std::string_view input)>;

struct MapRequest {
  std::size_t count = 0;
  // What the process that computes `index` needs. If `is_home`, that process
  // computed the last result of this index that `map` returned, so it may still
  // have what it needs. Called by the thread that calls `map`.
  std::function<std::string(std::size_t index, bool is_home)> input;
  // Whether a piece should go to where it was computed the step before, even if
  // others have less to do.
  bool keeps_homes = false;
  const Work& work;  // For the pieces that the leader computes itself.
  // Polled by the leader alone; once it returns true, the step is abandoned.
  std::function<bool()> should_stop;
  // Receives each result when it arrives, in any order. May be empty. Called by
  // the thread that calls `map`.
  std::function<void(std::size_t index, const std::string& result)> arrived =
      {};
};

struct CrewCounts {
  std::int64_t steps = 0;
  std::int64_t pieces = 0;        // Results taken.
  std::int64_t lost_pieces = 0;   // Handed out again, because a member left.
  std::int64_t lost_members = 0;  // Left before the end.
  std::int64_t late_members = 0;  // Joined after the first step.
  std::int64_t bytes_sent = 0;    // Of messages, by the leader.
  std::int64_t bytes_received = 0;
};

// Thread safety: one thread uses a crew; `is_abandoned` and
// `abandonment` are for any thread.
class Crew {
 public:
  virtual ~Crew() = default;

  virtual bool is_leader() const = 0;
  // Whether the current step was abandoned. Work that takes long polls it, or
  // takes the token when it starts, and returns early; its result is ignored.
  virtual bool is_abandoned() const = 0;
  virtual CancelToken abandonment() const = 0;

  // Leader only. Returns the results by index. Fails with Cancelled if the step
  // was abandoned, with the error of the lowest index that failed, or if the
  // crew is lost.
  virtual Result<std::vector<std::string>> map(const MapRequest& request) = 0;
  // Leader only. Lets the members continue with `summary`, the result of the
  // stage.
  virtual Result<void> end_stage(std::string summary) = 0;
  // Members only. Computes pieces until the leader ends the stage, and returns
  // its summary. Fails if the leader ends or is lost.
  virtual Result<std::string> serve(const Work& work) = 0;

  virtual CrewCounts counts() const { return {}; }
};

}  // namespace lamarck::crew
