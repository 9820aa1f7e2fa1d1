// Notifies listeners of appends, in journal order.

#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "lamarck/store/journal.h"

namespace lamarck::store::internal {

// Works in two steps, so that listeners may use the journal: call `add` under
// the lock that fixes the order, and `deliver` without any lock. One thread at
// a time calls the listeners; it also delivers what other threads added.
//
// Thread safety: all members may be called from any thread.
class AppendAnnouncer {
 public:
  bool has_listeners() const { return has_listeners_; }
  Remover use_profiler(Profiler<RunAppended>::Function function);

  void add(RunAppended appended);
  void deliver();

 private:
  Profiler<RunAppended> profiler_;
  std::atomic<bool> has_listeners_ = false;  // Never becomes false again.

  std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<RunAppended> waiting_;
  bool is_delivering_ = false;
};

// Returns the events with run and seq set, for an append that ended at `head`.
std::vector<Event> numbered_events(std::vector<Event> events,
                                   const std::string& run, std::uint64_t head);

}  // namespace lamarck::store::internal
