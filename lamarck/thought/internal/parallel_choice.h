// When a parallel run is over, who wins it, and who thinks next.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/thought/internal/parallel_state.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

struct ParallelChoice {
  std::string winner;  // A branch; "" = none.
  std::string reason;  // "first_validated", "highest_reward", ...
  std::map<std::string, std::int64_t> votes;  // By branch of a plan; for vote.
};

// Whether a branch can be thought about, or chosen.
bool is_contender(BranchState state);

// Whether a reply to what it was asked is waited for: not once its branch has
// been stopped.
bool is_awaited(const Session& session, const ParallelArm& arm);
bool is_anyone_thinking(const Session& session, const ParallelState& run);

// Indices of the arms that may be asked now, best first.
std::vector<std::size_t> arms_to_ask(const Session& session,
                                     const ParallelState& run,
                                     std::chrono::milliseconds time_used);

// What is decided although others still think; nothing if that may change.
std::optional<ParallelChoice> early_choice(const Session& session,
                                           const ParallelState& run);
// With what there is, once nobody thinks any more.
ParallelChoice final_choice(const Session& session, const ParallelState& run);

}  // namespace lamarck::thought::internal
