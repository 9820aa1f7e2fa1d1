// Success statistics of plans and healing strategies over all sessions of a
// journal, computed by replaying the run "healing".

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/healing.h"
#include "lamarck/thought/plan_history.h"

namespace lamarck::thought::internal {

// The result of executing one plan.
struct HealingOutcome {
  std::string id;  // ID of its event; counted once.
  std::string session;
  PlanTraits plan;
  bool success = false;
  FailureCategory category = FailureCategory::Unknown;  // If it failed.
  std::string signature;
  std::string healed_action;  // The strategy it tried, if any,
  FailureCategory healed_category = FailureCategory::Unknown;  // and for what.
  // Signatures of earlier failures that a success has overcome.
  std::vector<std::string> overcome;
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
  // How plans ended so far.
  Result<PlanHistory> history();
  // Forgets all statistics; the recorded outcomes stay in the journal. `id` is
  // that of the event.
  Result<void> reset(const std::string& id);

 private:
  Result<void> catch_up();
  Result<void> restore();
  Result<void> fold(const store::Event& event);
  Result<void> fold_failure(const Json& details, const std::string& session);
  void save_checkpoint(const store::Event& last);

  store::Journal& journal_;
  const Clock& clock_;

  std::mutex mutex_;
  // Guarded by mutex_.
  bool is_restored_ = false;
  std::uint64_t head_ = 0;
  std::uint64_t checkpoint_ = 0;
  Healing healing_;
  PlanHistory history_;
  // The latest, by session and signature.
  std::map<std::pair<std::string, std::string>, RetryDecision> decisions_;
};

Result<FailureCategory> failure_category_named(std::string_view name);

}  // namespace lamarck::thought::internal
