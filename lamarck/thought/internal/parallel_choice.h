// Decides when a parallel run ends, which branch wins, and which branch thinks
// next.

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
  std::map<std::string, std::int64_t> votes;  // By branch; strategy vote only.
};

// Returns whether a branch in this state can be worked on or chosen.
bool is_contender(BranchState state);

// Returns whether the arm has a request without a reply; false once its branch
// has been stopped.
bool is_awaited(const Session& session, const ParallelArm& arm);
bool is_anyone_thinking(const Session& session, const ParallelState& run);

// Indices of the arms that may be asked now.
std::vector<std::size_t> arms_to_ask(const Session& session,
                                     const ParallelState& run,
                                     std::chrono::milliseconds time_used);

// A choice that is final although other arms are still thinking; nullopt if a
// further reply could change it.
std::optional<ParallelChoice> early_choice(const Session& session,
                                           const ParallelState& run);
// The choice once no arm is thinking any more.
ParallelChoice final_choice(const Session& session, const ParallelState& run);

}  // namespace lamarck::thought::internal
