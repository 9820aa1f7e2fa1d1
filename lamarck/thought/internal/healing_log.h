// Success statistics of plans and healing strategies over all sessions of a
// journal, computed by replaying the run "healing".

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/healing.h"

namespace lamarck::thought::internal {

// The result of executing one plan.
struct HealingOutcome {
  std::string id;  // ID of its event; counted once.
  std::string plan_type;
  bool success = false;
  FailureCategory category = FailureCategory::Unknown;  // If it failed.
  std::string signature;
  std::string healed_action;  // The strategy it tried, if any,
  FailureCategory healed_category = FailureCategory::Unknown;  // and for what.
};

// Thread safety: all members may be called from any thread.
class HealingLog {
 public:
  HealingLog(store::Journal& journal, const Clock& clock)
      : journal_(journal), clock_(clock) {}

  // Appends the outcome. After a failure, returns whether it may be retried.
  Result<RetryDecision> record(const HealingOutcome& outcome);

  // The statistics including everything appended so far.
  Result<Healing> healing();
  // The share of plans of this type that succeeded; nullopt before the first.
  Result<std::optional<double>> success_rate(std::string_view plan_type);

 private:
  struct PlanRecord {
    std::int64_t tries = 0;
    std::int64_t successes = 0;
  };

  Result<void> catch_up();
  Result<void> restore();
  Result<void> fold(const store::Event& event);
  void save_checkpoint(const store::Event& last);

  store::Journal& journal_;
  const Clock& clock_;

  std::mutex mutex_;
  // Guarded by mutex_.
  bool is_restored_ = false;
  std::uint64_t head_ = 0;
  std::uint64_t checkpoint_ = 0;
  Healing healing_;
  std::map<std::string, PlanRecord, std::less<>> plans_;
  std::map<std::string, RetryDecision, std::less<>>
      decisions_;  // The latest, by signature.
};

Result<FailureCategory> failure_category_named(std::string_view name);

}  // namespace lamarck::thought::internal
