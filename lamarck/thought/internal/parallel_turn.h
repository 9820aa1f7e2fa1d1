// The steps of a parallel run, each as events of a turn.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/thought/internal/parallel_choice.h"
#include "lamarck/thought/internal/parallel_state.h"
#include "lamarck/thought/internal/path_memory.h"
#include "lamarck/thought/internal/turn.h"
#include "lamarck/thought/plan_history.h"
#include "lamarck/thought/thinker.h"

namespace lamarck::thought::internal {

// Starts a run; the answer names it. If an identical run is still active and no
// thread drives it, resumes that run instead.
using IsDriven = std::function<bool(std::string_view run)>;
Result<Json> begin_run(Turn& turn, const ParallelRun& run,
                       const IsDriven& is_driven);

// NotFound if the run is not active.
Result<ParallelState> find_run(const Session& session, std::string_view run);

// Ends the run if its result is decided; nullopt while it continues.
Result<std::optional<Json>> end_if_decided(Turn& turn, std::string_view run);
// Ends the run without a winner.
Json end_without_winner(Turn& turn, const ParallelState& run,
                        const std::string& reason);

// Adds requests for the arms that may think next, and reserves their tokens.
// `paths` reads the session of the turn.
Result<void> ask_more(Turn& turn, std::string_view run, PathReader& paths);
// All requests that have no reply yet.
Result<std::vector<ThinkRequest>> asked(const Session& session,
                                        const ParallelState& run,
                                        PathReader& paths);

// Records the replies, in this order, as events of their branches, and ends the
// run if they decide it: a race after the first valid plan, other runs after
// all of them. Of a reply that is no longer pending only the tokens are
// recorded, and those only once. The answer is that of the run if it ended.
Result<Json> take_replies(Turn& turn, std::string_view run,
                          const std::vector<RequestReply>& replies,
                          const PlanHistory& history);

// Gives up the pending requests of a run: their reserved tokens are released,
// and their prompts are counted.
void drop_requests(Turn& turn, const ParallelState& run);

}  // namespace lamarck::thought::internal
