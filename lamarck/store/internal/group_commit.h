// Group commit: concurrent writes share one transaction, and so one fsync. A
// write that arrives while its group is being written still joins it.
//
// There is no writer thread. The first caller of a group becomes its leader and
// writes for all members, so a single writer pays for no thread switch.

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

// Thread safety: all members may be called from any thread.
class GroupCommit {
 public:
  // The work of one writer. Any thread may call it, and more than once if a
  // group fails and its members are retried alone. If it returns an error other
  // than a storage failure, it must not have changed anything; the rest of the
  // group continues.
  using Job = std::function<Result<void>()>;
  // Runs a job in a transaction. Called by one thread at a time.
  using Transaction = std::function<Result<void>(const Job&)>;

  GroupCommit(Transaction transaction, std::size_t max_group)
      : transaction_(std::move(transaction)), max_group_(max_group) {}

  // Returns when `job` is durable, or the reason why it failed.
  Result<void> run(const Job& job);
  // The number of members of groups that can still be joined.
  std::size_t waiting_count();

 private:
  struct Member {
    const Job* job = nullptr;
    Result<void> outcome;  // Owned by the leader until the group is done.
  };
  // The first member is the leader.
  struct Group {
    // Guarded by mutex_ until the group is closed.
    std::vector<Member*> members;
    // The rest is used by the leader only.
    std::size_t taken = 0;  // Members returned by take_new so far.
    bool is_closed = false;
    std::chrono::nanoseconds max_wait{0};  // For more writers.
    std::chrono::nanoseconds waited{0};    // Spent of max_wait.
    FutexGate may_start;                   // Wakes the leader.
    FutexGate is_done;                     // Wakes the other members.
  };

  std::shared_ptr<Group> join(Member& member);
  void lead(std::unique_lock<std::mutex>& lock);
  void wait_for_more_writers(std::unique_lock<std::mutex>& lock, Group& group);
  // Returns the members that joined since the last call. Closes the group if
  // there are none.
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
  bool has_leader_ = false;
  std::deque<std::shared_ptr<Group>> waiting_;  // All but the last are full.
  std::condition_variable joined_;
  bool leader_waits_ = false;  // The leader waits for more writers.
  // Size of the last group plus the writers that waited when it was done.
  std::size_t writers_ = 1;
  std::chrono::nanoseconds last_duration_{0};
};

}  // namespace lamarck::store::internal
