#include "lamarck/cli/evolve/search_limits.h"

#include <limits>
#include <string_view>

#include "lamarck/base/string_split.h"
#include "lamarck/cli/evolve/run_limit.h"

namespace lamarck::cli {

Result<BudgetLimits> parse_search_budget(
    const std::vector<std::string>& given) {
  BudgetLimits limits;
  for (const std::string& text : given) {
    for (const std::string_view part : split_text(text, ',')) {
      const auto limit = parse_run_limit(part);
      if (!limit || limit->measure == LimitMeasure::Generations) {
        return invalid_limit("--budget", text,
                             "120s, 30min, 200000eval, 5usd or 1Mtok");
      }
      switch (limit->measure) {
        case LimitMeasure::Milliseconds:
          limits.wall_time = std::chrono::milliseconds(limit->amount);
          break;
        case LimitMeasure::Evaluations:
          limits.evaluations = limit->amount;
          break;
        case LimitMeasure::Tokens:
          limits.tokens = limit->amount;
          break;
        case LimitMeasure::MoneyMicros:
          limits.money_micros = limit->amount;
          break;
        case LimitMeasure::Generations:
          break;  // Rejected above.
      }
    }
  }
  return limits;
}

Result<archipelago::ResetPeriod> parse_reset_period(
    const std::vector<std::string>& given) {
  archipelago::ResetPeriod period{.evaluations = {}, .time = {}};
  for (const std::string& text : given) {
    for (const std::string_view part : split_text(text, ',')) {
      if (part == "never") {
        // A period that no run reaches.
        period.evaluations = std::numeric_limits<std::int64_t>::max();
        continue;
      }
      const auto limit = parse_run_limit(part);
      if (limit && limit->measure == LimitMeasure::Evaluations) {
        period.evaluations = limit->amount;
      } else if (limit && limit->measure == LimitMeasure::Milliseconds) {
        period.time = std::chrono::milliseconds(limit->amount);
      } else {
        return invalid_limit("--reset", text, "2000eval, 30min or never");
      }
    }
  }
  return period;
}

}  // namespace lamarck::cli
