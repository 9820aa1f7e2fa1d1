#include "lamarck/store/internal/group_commit.h"

#include <algorithm>
#include <exception>
#include <string>

#include "lamarck/store/internal/sqlite_connection.h"

namespace lamarck::store::internal {

Result<void> GroupCommit::run(const Job& job) {
  Member own{.job = &job};
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Group> group = join(own);
  if (group->members.front() != &own) {
    lock.unlock();
    group->is_done.wait();
    return own.outcome;
  }
  if (is_led_) {
    lock.unlock();
    group->may_begin.wait();
    lock.lock();
  }
  is_led_ = true;
  lead(lock);
  return own.outcome;
}

std::shared_ptr<GroupCommit::Group> GroupCommit::join(Member& member) {
  const bool has_room =
      !waiting_.empty() && waiting_.back()->members.size() < max_group_;
  if (!has_room) waiting_.push_back(std::make_shared<Group>());
  std::vector<Member*>& members = waiting_.back()->members;
  members.push_back(&member);
  if (awaited_ != 0 && members.size() >= awaited_) companions_.notify_one();
  return waiting_.back();
}

// The leader's group is the first that waits.
void GroupCommit::lead(std::unique_lock<std::mutex>& lock) {
  wait_for_companions(lock);
  const std::shared_ptr<Group> group = waiting_.front();
  waiting_.pop_front();
  lock.unlock();
  const auto start = clock_.elapsed();
  commit(*group);
  const auto duration = clock_.elapsed() - start;
  lock.lock();
  last_duration_ = duration;
  writers_ = group->members.size();
  for (const auto& others : waiting_) writers_ += others->members.size();
  is_led_ = !waiting_.empty();
  const std::shared_ptr<Group> next = is_led_ ? waiting_.front() : nullptr;
  lock.unlock();
  if (next != nullptr) next->may_begin.open();
  if (group->members.size() > 1) group->is_done.open();
}

// Those who were served last come again at once when they are many and busy. A
// leader that did not wait for them would commit with few, while they wait.
void GroupCommit::wait_for_companions(std::unique_lock<std::mutex>& lock) {
  const std::size_t expected = std::min(writers_, max_group_);
  const auto are_there = [&] {
    return waiting_.front()->members.size() >= expected;
  };
  if (expected < 2 || are_there()) return;
  awaited_ = expected;
  companions_.wait_for(lock, last_duration_ / 2, are_there);
  awaited_ = 0;
}

// The members wait for their outcomes, which nobody else touches meanwhile.
void GroupCommit::commit(const Group& group) {
  const Result<void> together = commit_together(group.members);
  if (together) return;
  const bool is_alone = group.members.size() == 1;
  const bool is_busy = together.error().code() == ErrorCode::Unavailable;
  for (Member* member : group.members) {
    member->outcome = together;
    if (is_alone || is_busy) continue;
    const Result<void> alone = commit_together({member});
    if (!alone) member->outcome = alone;
  }
}

Result<void> GroupCommit::commit_together(const std::vector<Member*>& members) {
  try {
    return transaction_([&]() -> Result<void> {
      for (Member* member : members) {
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
