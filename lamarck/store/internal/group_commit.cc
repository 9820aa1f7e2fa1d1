#include "lamarck/store/internal/group_commit.h"

#include <algorithm>
#include <exception>
#include <string>
#include <thread>

#include "lamarck/base/macros.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::store::internal {
namespace {

constexpr int kYields = 200;

}  // namespace

Result<void> GroupCommit::run(const Job& job) {
  Member own{.job = &job};
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Group> group = join(own);
  // Followers sleep until the leader has set their outcome.
  if (group->members.front() != &own) {
    lock.unlock();
    group->is_done.wait();
    return own.outcome;
  }
  // Another group is being written; its leader opens the gate when done.
  if (has_leader_) {
    lock.unlock();
    group->may_start.wait();
    lock.lock();
  }
  has_leader_ = true;
  lead(lock);
  return own.outcome;
}

std::size_t GroupCommit::waiting_count() {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& group : waiting_) count += group->members.size();
  return count;
}

std::shared_ptr<GroupCommit::Group> GroupCommit::join(Member& member) {
  const bool has_room =
      !waiting_.empty() && waiting_.back()->members.size() < max_group_;
  if (!has_room) waiting_.push_back(std::make_shared<Group>());
  std::vector<Member*>& members = waiting_.back()->members;
  members.push_back(&member);
  if (leader_waits_) joined_.notify_one();
  return waiting_.back();
}

// The leader's group is the first in waiting_. Other writers may join it while
// it is written, until it is closed.
void GroupCommit::lead(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<Group> group = waiting_.front();
  // Waiting for more writers must cost less than the fsync it can save.
  group->max_wait = last_duration_ / 2;
  lock.unlock();
  const auto start = clock_.elapsed();
  commit(*group);
  const auto duration = clock_.elapsed() - start - group->waited;
  lock.lock();
  last_duration_ = duration;
  // The number of writers to expect for the next group.
  writers_ = group->members.size();
  for (const auto& others : waiting_) writers_ += others->members.size();
  has_leader_ = !waiting_.empty();
  const std::shared_ptr<Group> next = has_leader_ ? waiting_.front() : nullptr;
  lock.unlock();
  if (next != nullptr) next->may_start.open();
  if (group->members.size() > 1) group->is_done.open();
}

// Busy writers of the last group usually return at once with their next job. A
// leader that does not wait for them commits a small group while they queue.
void GroupCommit::wait_for_more_writers(std::unique_lock<std::mutex>& lock,
                                        Group& group) {
  const std::size_t present = group.members.size();
  if (present >= std::min(writers_, max_group_)) return;
  const auto has_more = [&] { return group.members.size() > present; };
  const auto start = clock_.elapsed();
  // They are usually about to run, so yielding first is cheaper than sleeping.
  for (int i = 0; i < kYields && !has_more(); ++i) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  leader_waits_ = true;
  joined_.wait_for(lock, group.max_wait - group.waited, has_more);
  leader_waits_ = false;
  group.waited += clock_.elapsed() - start;
}

std::vector<GroupCommit::Member*> GroupCommit::take_new(Group& group) {
  std::unique_lock lock(mutex_);
  if (group.members.size() == group.taken) wait_for_more_writers(lock, group);
  std::vector<Member*> list(
      group.members.begin() + static_cast<std::ptrdiff_t>(group.taken),
      group.members.end());
  group.taken = group.members.size();
  if (list.empty()) waiting_.pop_front();
  group.is_closed = list.empty();
  return list;
}

void GroupCommit::close(Group& group) {
  const std::lock_guard lock(mutex_);
  if (!group.is_closed) waiting_.pop_front();
  group.is_closed = true;
}

// If the shared transaction fails, retries each job alone, so that one bad job
// does not fail the others. The members sleep meanwhile, so the leader may
// write their outcomes without a lock.
void GroupCommit::commit(Group& group) {
  const Result<void> together = commit_together(group);
  close(group);
  if (together) return;
  const bool is_alone = group.members.size() == 1;
  // A busy file would only make every member wait again.
  const bool is_busy = together.error().code() == ErrorCode::Unavailable;
  for (Member* member : group.members) {
    member->outcome = together;
    if (is_alone || is_busy) continue;
    const Result<void> alone = transact([&] { return run_jobs({member}); });
    if (!alone) member->outcome = alone;
  }
}

Result<void> GroupCommit::commit_together(Group& group) {
  return transact([&]() -> Result<void> {
    for (;;) {
      const std::vector<Member*> members = take_new(group);
      if (members.empty()) return {};
      RETURN_IF_ERROR(run_jobs(members));
    }
  });
}

Result<void> GroupCommit::run_jobs(const std::vector<Member*>& members) {
  for (Member* member : members) {
    member->outcome = (*member->job)();
    const Result<void>& outcome = member->outcome;
    if (!outcome && is_storage_failure(outcome.error().code())) return outcome;
  }
  return {};
}

Result<void> GroupCommit::transact(const Job& body) {
  try {
    return transaction_(body);
  } catch (const std::exception& failure) {
    return Error(ErrorCode::Internal,
                 std::string("Unexpected error while writing the journal: ") +
                     failure.what() + ".");
  }
}

}  // namespace lamarck::store::internal
