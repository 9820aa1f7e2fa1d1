// The writer's cache of where runs and recent events are stored.

#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/store/internal/append_rules.h"

namespace lamarck::store::internal {

struct KnownRun {
  RunPlace place;
  std::optional<std::string> new_state;  // Not written yet.
};

// Valid until another connection writes. Thread safety: one thread at a time.
class KnownPlaces {
 public:
  // Null if not cached.
  const KnownRun* find_run(std::string_view id) const;
  const EventPlace* find_event(std::string_view id) const;

  void add_run(std::string_view id, const RunPlace& place);
  // Replaces an event with the same hash slot.
  void add_event(std::string_view id, const EventPlace& place);

  // REQUIRES: the run is cached.
  KnownRun& known_run(std::string_view id);
  // Marks the run's row for writing. REQUIRES: `run` is from known_run.
  void note_change(KnownRun& run) { changed_.insert(&run); }
  // Returns the marked runs, each once, and clears the marks.
  std::vector<KnownRun*> take_changed();

  void forget();
  // Clears the cache if it holds too many runs.
  void trim();

 private:
  std::size_t hash_slot(std::string_view id) const;

  std::map<std::string, KnownRun, std::less<>> runs_;
  std::set<KnownRun*> changed_;  // Points into runs_.
  // Indexed by hash. Parents of new events are mostly recent, and a table this
  // small stays in the processor's cache.
  struct KnownEvent {
    std::string id;
    EventPlace place;
  };
  std::array<KnownEvent, 2048> events_;
};

}  // namespace lamarck::store::internal
