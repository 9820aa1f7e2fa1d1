#include "lamarck/store/internal/append_announcer.h"

#include <utility>

namespace lamarck::store::internal {

Remover AppendAnnouncer::use_profiler(
    Profiler<RunAppended>::Function function) {
  Remover remover = profiler_.use_profiler(std::move(function));
  has_listeners_ = true;
  return remover;
}

void AppendAnnouncer::add(RunAppended appended) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(appended));
}

void AppendAnnouncer::deliver() {
  if (!has_listeners_) return;
  std::unique_lock lock(mutex_);
  // The delivering thread also sends what was added meanwhile.
  if (is_delivering_) return;
  is_delivering_ = true;
  while (!waiting_.empty()) {
    const RunAppended next = std::move(waiting_.front());
    waiting_.pop_front();
    // Listeners may append, so call them without the lock.
    lock.unlock();
    profiler_.send(next);
    lock.lock();
  }
  is_delivering_ = false;
}

std::vector<Event> numbered_events(std::vector<Event> events,
                                   const std::string& run, std::uint64_t head) {
  std::uint64_t seq = head - events.size();
  for (Event& event : events) {
    event.run = run;
    event.seq = ++seq;
  }
  return events;
}

}  // namespace lamarck::store::internal
