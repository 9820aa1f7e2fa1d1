// Where runs and recent events are in the file, as its writer remembers it.

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
  std::optional<std::string> new_state;  // What is not written yet.
};

// Holds while nobody else writes. Thread safety: one thread at a time.
class KnownPlaces {
 public:
  // Null if it is not known.
  const KnownRun* find_run(std::string_view id) const;
  const EventPlace* find_event(std::string_view id) const;

  void add_run(std::string_view id, const RunPlace& place);
  // Takes the place of another that has the same hash.
  void add_event(std::string_view id, const EventPlace& place);

  // REQUIRES: it is known.
  KnownRun& known_run(std::string_view id);
  // Its row is to be written. REQUIRES: it is of known_run.
  void note_change(KnownRun& run) { changed_.insert(&run); }
  // Those of which that was said, each once.
  std::vector<KnownRun*> take_changed();

  void forget();
  // Forgets the runs if there are very many.
  void keep_small();

 private:
  std::size_t slot_of(std::string_view id) const;

  std::map<std::string, KnownRun, std::less<>> runs_;
  std::set<KnownRun*> changed_;  // In runs_.
  // By hash. The parents of new events are mostly recent, and so few stay in
  // the processor's cache.
  struct KnownEvent {
    std::string id;
    EventPlace place;
  };
  std::array<KnownEvent, 2048> events_;
};

}  // namespace lamarck::store::internal
