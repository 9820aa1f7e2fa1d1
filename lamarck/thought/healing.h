// Suggests what to try after a failure, the most successful strategy first.

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

struct HealingStrategy {
  FailureCategory category;
  std::string_view action;      // "switch_tool".
  std::string_view parameters;  // JSON object.
};
std::span<const HealingStrategy> healing_strategies();

struct RetryDecision {
  bool may_retry = true;
  std::string reason;  // Empty if a retry is allowed.
  // With this signature; includes this one if allowed.
  std::int64_t retries = 0;
};

// Success rates of the strategies and retry counts of the failures, computed
// from the outcomes in order. A rate starts at 0.5 and is an exponential moving
// average in which the newest outcome weighs 0.3.
class Healing {
 public:
  static constexpr std::int64_t kMaxRetries = 3;
  static constexpr double kNewestShare = 0.3;
  static constexpr double kFirstRate = 0.5;
  static constexpr std::size_t kMaxFailures = 10'000;  // Remembered.

  // Sorted by success rate, highest first; ties keep the order of the list.
  // A category without strategies gets those of Unknown.
  std::vector<HealingStrategy> strategies(FailureCategory category) const;
  double success_rate(FailureCategory category, std::string_view action) const;

  // Decides whether a failure may be retried and, if so, counts the retry.
  // Retries belong to a session and a signature; "" is the session of outcomes
  // recorded by versions that counted over all sessions.
  RetryDecision failed(std::string_view signature, FailureCategory category,
                       std::string_view session = "");
  // Forgets the retries: the failure is overcome.
  void overcome(std::string_view signature, std::string_view session);
  // Updates the success rate of `action` for failures of `category`.
  void healed(FailureCategory category, std::string_view action, bool success);

  Json to_json() const;
  static Result<Healing> from_json(const Json& json);

 private:
  std::map<std::pair<FailureCategory, std::string>, double> rates_;
  // By session and signature, separated by a space.
  std::map<std::string, std::int64_t, std::less<>> retries_;
};

}  // namespace lamarck::thought
