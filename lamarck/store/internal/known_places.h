// Where runs and recent events are in the file, as its writer remembers it.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
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
  void add_event(const std::string& id, const EventPlace& place);

  // REQUIRES: it is known.
  KnownRun& known_run(std::string_view id);
  // Its row is to be written. REQUIRES: it is of known_run.
  void note_change(KnownRun& run) { changed_.insert(&run); }
  // Those of which that was said, each once.
  std::vector<KnownRun*> take_changed();

  void forget();
  // Forgets what was not used lately, if there is much. So it stays in the
  // processor's cache, and the parents of new events are mostly recent.
  void keep_small();

 private:
  std::map<std::string, KnownRun, std::less<>> runs_;
  std::set<KnownRun*> changed_;  // In runs_.
  std::unordered_map<std::string, EventPlace> events_;
  std::unordered_map<std::string, EventPlace> older_events_;
};

}  // namespace lamarck::store::internal
