// How well plans and healing strategies worked, over all sessions of a journal:
// the fold over the run "healing".

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

// What came of carrying one plan out.
struct HealingOutcome {
  std::string id;  // Of its event; the same one counts once.
  std::string plan_type;
  bool success = false;
  FailureCategory category = FailureCategory::Unknown;  // Unless it succeeded.
  std::string signature;
  std::string healed_action;  // It was the trial of this strategy;
  FailureCategory healed_category = FailureCategory::Unknown;  // for this.
};

// Thread safety: any member from any thread.
class HealingLog {
 public:
  HealingLog(store::Journal& journal, const Clock& clock)
      : journal_(journal), clock_(clock) {}

  // Appends it; the decision is about the failure, if it is one.
  Result<RetryDecision> record(const HealingOutcome& outcome);

  // As of now.
  Result<Healing> healing();
  // The share of plans of that type that succeeded; nothing before the first.
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
  std::map<std::string, RetryDecision, std::less<>> decisions_;  // The latest.
};

Result<FailureCategory> failure_category_named(std::string_view name);

}  // namespace lamarck::thought::internal
