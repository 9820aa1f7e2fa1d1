// Tells listeners what was appended, in the order of the journal.

#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "lamarck/store/journal.h"

namespace lamarck::store::internal {

// Two steps, so that listeners may use the journal: `add` while the order is
// fixed, `deliver` when nothing is held. A listener is called by one thread at
// a time; what another thread added may be delivered by this one.
//
// Thread safety: any member from any thread.
class AppendAnnouncer {
 public:
  bool has_listeners() const { return has_listeners_; }
  Remover use_profiler(Profiler<RunAppended>::Function function);

  void add(RunAppended appended);
  void deliver();

 private:
  Profiler<RunAppended> profiler_;
  std::atomic<bool> has_listeners_ = false;  // Once true, so for ever.

  std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<RunAppended> waiting_;
  bool is_delivering_ = false;
};

// The events of an append as they are stored: with their run and seq.
std::vector<Event> numbered_events(std::vector<Event> events,
                                   const std::string& run, std::uint64_t head);

}  // namespace lamarck::store::internal
