// Writes that wait together share one transaction, and so one fsync. Who comes
// while it is written still joins it.
//
// There is no thread for it: whoever comes when nobody writes does so itself,
// for all that wait by then; a single writer pays for no change of threads.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/store/internal/futex_gate.h"

namespace lamarck::store::internal {

// Thread safety: any member from any thread.
class GroupCommit {
 public:
  // What one writer wants. It is called by any thread, more than once if a
  // group fails and its members are tried alone. An error that is no world
  // failure concerns this job only, which then has changed nothing.
  using Job = std::function<Result<void>()>;
  // Runs what it is given in a transaction. Called by one thread at a time.
  using Transaction = std::function<Result<void>(const Job&)>;

  GroupCommit(Transaction transaction, std::size_t max_group)
      : transaction_(std::move(transaction)), max_group_(max_group) {}

  // Returns when `job` is durable, or why it is not.
  Result<void> run(const Job& job);
  // Who has come and is not done, but for groups that nobody can join any more.
  std::size_t waiting_count();

 private:
  struct Member {
    const Job* job = nullptr;
    Result<void> outcome;  // Belongs to the leader until the group is done.
  };
  // Its first member is its leader.
  struct Group {
    // Guarded by mutex_ until it is closed.
    std::vector<Member*> members;
    // The rest is the leader's.
    std::size_t taken = 0;  // Of the members.
    bool is_closed = false;
    std::chrono::nanoseconds patience{0};  // For companions, and what is gone.
    std::chrono::nanoseconds waited{0};
    FutexGate may_begin;  // For the leader,
    FutexGate is_done;    // for the others.
  };

  std::shared_ptr<Group> join(Member& member);
  void lead(std::unique_lock<std::mutex>& lock);
  void wait_for_companions(std::unique_lock<std::mutex>& lock, Group& group);
  // Those who have joined since the last call; if none come, it is closed.
  std::vector<Member*> take_new(Group& group);
  void close(Group& group);
  void commit(Group& group);
  Result<void> commit_together(Group& group);
  static Result<void> run_jobs(const std::vector<Member*>& members);
  Result<void> transact(const Job& body);

  const Transaction transaction_;
  const std::size_t max_group_;
  const SystemClock clock_;

  std::mutex mutex_;
  // Guarded by mutex_.
  bool is_led_ = false;
  std::deque<std::shared_ptr<Group>> waiting_;  // All but the last are full.
  std::condition_variable companions_;
  bool is_waiting_ = false;  // The leader, for companions.
  // When the last group was done: its size, with those who waited by then.
  std::size_t writers_ = 1;
  std::chrono::nanoseconds last_duration_{0};
};

}  // namespace lamarck::store::internal
