// What to try after a failure, the most successful first.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/thought/failure.h"

namespace lamarck::thought {

// One row of the list of strategies.
struct HealingStrategy {
  FailureCategory category;
  std::string_view action;      // "switch_tool".
  std::string_view parameters;  // JSON object.
};
std::span<const HealingStrategy> healing_strategies();

struct RetryDecision {
  bool may_retry = true;
  std::string reason;        // Why not.
  std::int64_t retries = 0;  // Of this signature, this one included if it may.
};

// How well strategies worked, and how often each failure came: a fold over
// outcomes. Success rates are moving averages (0.3 of the newest, from 0.5).
class Healing {
 public:
  static constexpr std::int64_t kMaxRetries = 3;
  static constexpr double kNewestShare = 0.3;
  static constexpr double kFirstRate = 0.5;

  // Best success rate first; the list's order where equal. Those of Unknown
  // where the category has none.
  std::vector<HealingStrategy> strategies(FailureCategory category) const;
  double success_rate(FailureCategory category, std::string_view action) const;

  // Counts the failure, unless it may not be retried.
  RetryDecision failed(std::string_view signature, FailureCategory category);
  void healed(FailureCategory category, std::string_view action, bool success);

  Json to_json() const;
  static Result<Healing> from_json(const Json& json);

 private:
  std::map<std::pair<FailureCategory, std::string>, double> rates_;
  std::map<std::string, std::int64_t, std::less<>> retries_;
};

}  // namespace lamarck::thought
