#include "lamarck/store/internal/seen_changes.h"

#include <algorithm>
#include <utility>

namespace lamarck::store::internal {
namespace {

// Beyond this, own appends are forgotten and may be reported as changes.
constexpr std::size_t kMaxOwn = 10'000;

}  // namespace

void SeenChanges::note_own(const std::string& run, std::uint64_t head) {
  const std::lock_guard lock(mutex_);
  if (own_.size() >= kMaxOwn) own_.clear();
  std::uint64_t& known = own_[run];
  known = std::max(known, head);
}

void SeenChanges::add(std::string run, std::uint64_t head, bool is_new_run) {
  RunChange& change = seen_[std::move(run)];
  change.is_new_run = change.is_new_run || is_new_run;
  change.head = head;
}

std::vector<JournalWatch::Change> SeenChanges::take() {
  std::vector<JournalWatch::Change> changes;
  const std::lock_guard lock(mutex_);
  for (const auto& [run, change] : seen_) {
    const auto found = own_.find(run);
    // A head beyond our own means that another process has appended since.
    const bool is_own = found != own_.end() && found->second >= change.head;
    if (!is_own) changes.push_back({run, change.is_new_run});
    if (found != own_.end() && found->second <= change.head) own_.erase(found);
  }
  seen_.clear();
  return changes;
}

}  // namespace lamarck::store::internal
