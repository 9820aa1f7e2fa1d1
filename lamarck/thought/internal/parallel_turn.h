// The steps of a parallel run, each on the turn of a session.

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
#include "lamarck/thought/internal/turn.h"
#include "lamarck/thought/thinker.h"

namespace lamarck::thought::internal {

// Adds the beginning; the answer names the run. A run that was begun alike and
// is still under way is the one to go on with, unless somebody drives it.
using IsDriven = std::function<bool(std::string_view run)>;
Result<Json> begin_run(Turn& turn, const ParallelRun& run,
                       const IsDriven& is_driven);

// NotFound if it is not under way.
Result<ParallelState> run_of(const Session& session, std::string_view run);

// Ends the run if that is decided. Nothing while it goes on.
Result<std::optional<Json>> end_if_decided(Turn& turn, std::string_view run);
// Ends it without a winner.
Json end_without_winner(Turn& turn, const ParallelState& run,
                        const std::string& reason);

// Asks whoever may think next, with tokens reserved.
Result<void> ask_more(Turn& turn, std::string_view run);
// All that is asked and not yet answered.
Result<std::vector<ThinkRequest>> asked(const Session& session,
                                        const ParallelState& run);

// A reply to what is asked, as events of its branch.
Result<void> add_reply(Turn& turn, std::string_view run,
                       std::string_view request,
                       const Result<ThoughtReply>& reply,
                       std::optional<double> success_rate);

}  // namespace lamarck::thought::internal
