// How long a search for functions may go on, and when its islands begin again,
// in the words of the command line.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/result.h"

namespace lamarck::cli {

inline constexpr std::int64_t kMostIslands = 1024;

// "120s", "30min", "2h", "200000eval", "200keval", "5usd", "1Mtok"; several
// with commas between or one by one. Of two limits on the same the last counts.
Result<BudgetLimits> parse_search_budget(const std::vector<std::string>& given);

// "2000eval", "30min", both, or "never". Nothing given leaves both unset, which
// stands for what suits the engine.
Result<archipelago::ResetPeriod> parse_reset_period(
    const std::vector<std::string>& given);

}  // namespace lamarck::cli
