// How messages travel between the leader and the members of a crew.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/crew/crew.h"

namespace lamarck::crew {

// Never used again after a member has left. The leader is 0.
using MemberId = std::int64_t;
inline constexpr MemberId kLeader = 0;

struct CrewProgress {
  CrewCounts counts;
  std::map<MemberId, std::int64_t> pieces;  // Results taken from each.
};

struct Letter {
  MemberId other = kLeader;  // The sender, or the receiver of a sent letter.
  std::string bytes;
};

// Letters arrive once and in order, or not at all: then the sender or the
// receiver is reported as departed. Members only exchange letters with the
// leader.
// Thread safety: one thread; `wake` is for any thread.
class Transport {
 public:
  virtual ~Transport() = default;

  // Sends all letters; may return before they arrive.
  virtual Result<void> send(std::vector<Letter> letters) = 0;
  // Returns the letters that have arrived. Waits up to `patience` for one, and
  // returns early after `wake`.
  virtual Result<std::vector<Letter>> receive(
      std::chrono::microseconds patience) = 0;
  // Members that have left since the last call. For a member: {kLeader} if the
  // leader has left. What they sent before may still arrive.
  virtual std::vector<MemberId> departed() = 0;
  virtual void wake() = 0;
  // For the leader: members that exist from the start, even if they have not
  // written yet.
  virtual std::vector<MemberId> first_members() const { return {}; }
  // Shows others how far the leader is, if there is a place for it. Called
  // after each step; all but the last may be skipped.
  virtual void show(const CrewProgress& /*progress*/, bool /*is_last*/) {}
};

}  // namespace lamarck::crew
