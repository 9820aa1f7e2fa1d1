#include "lamarck/store/internal/group_commit.h"

#include <algorithm>
#include <exception>
#include <string>

#include "lamarck/store/internal/sqlite_connection.h"

namespace lamarck::store::internal {

Result<void> GroupCommit::run(const Job& job) {
  Waiting own;
  own.job = &job;
  std::unique_lock lock(mutex_);
  queue_.push_back(&own);
  if (awaited_ != 0 && queue_.size() >= awaited_) companions_.notify_one();
  if (is_led_) {
    own.wake.wait(lock, [&] { return own.leads || own.is_done; });
    if (own.is_done) return own.outcome;
  }
  is_led_ = true;
  wait_for_companions(lock);
  const std::vector<Waiting*> group = take_group();
  lock.unlock();
  const auto start = clock_.elapsed();
  commit(group);
  const auto duration = clock_.elapsed() - start;
  lock.lock();
  last_group_ = group.size();
  last_duration_ = duration;
  for (Waiting* member : group) {
    member->is_done = true;
    if (member != &own) member->wake.notify_one();
  }
  is_led_ = !queue_.empty();
  if (is_led_) {
    queue_.front()->leads = true;
    queue_.front()->wake.notify_one();
  }
  return own.outcome;
}

// Those who were served last come again at once when they are many and busy. A
// leader that did not wait for them would commit with few, while they wait.
void GroupCommit::wait_for_companions(std::unique_lock<std::mutex>& lock) {
  const std::size_t expected = std::min(last_group_, max_group_);
  if (expected < 2 || queue_.size() >= expected) return;
  awaited_ = expected;
  companions_.wait_for(lock, last_duration_ / 4,
                       [&] { return queue_.size() >= expected; });
  awaited_ = 0;
}

std::vector<GroupCommit::Waiting*> GroupCommit::take_group() {
  const std::size_t size =
      std::min(queue_.size(), std::max<std::size_t>(max_group_, 1));
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(size);
  std::vector<Waiting*> group(queue_.begin(), end);
  queue_.erase(queue_.begin(), end);
  return group;
}

// The members wait for their outcomes, which nobody else touches meanwhile.
void GroupCommit::commit(const std::vector<Waiting*>& group) {
  const Result<void> together = commit_together(group);
  if (together) return;
  const bool is_alone = group.size() == 1;
  const bool is_busy = together.error().code() == ErrorCode::Unavailable;
  for (Waiting* member : group) {
    member->outcome = together;
    if (is_alone || is_busy) continue;
    const Result<void> alone = commit_together({member});
    if (!alone) member->outcome = alone;
  }
}

Result<void> GroupCommit::commit_together(const std::vector<Waiting*>& group) {
  try {
    return transaction_([&]() -> Result<void> {
      for (Waiting* member : group) {
        member->outcome = (*member->job)();
        const Result<void>& outcome = member->outcome;
        if (!outcome && is_world_failure(outcome.error().code())) {
          return outcome;
        }
      }
      return {};
    });
  } catch (const std::exception& failure) {
    return Error(ErrorCode::Internal,
                 std::string("The journal failed: ") + failure.what() + ".");
  }
}

}  // namespace lamarck::store::internal
