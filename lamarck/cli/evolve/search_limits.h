// Parses the limits of a search: --budget, and the period of --reset.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/result.h"

namespace lamarck::cli {

inline constexpr std::int64_t kMaxIslands = 1024;

// Parses "120s", "30min", "2h", "200000eval", "200keval", "5usd", "1Mtok", or
// several separated by commas. The last limit of each type wins.
Result<BudgetLimits> parse_search_budget(const std::vector<std::string>& given);

// Parses "2000eval", "30min", both, or "never". An empty list leaves both
// unset, which selects the default of the engine.
Result<archipelago::ResetPeriod> parse_reset_period(
    const std::vector<std::string>& given);

}  // namespace lamarck::cli
