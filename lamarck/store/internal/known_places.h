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
  // What is not written yet.
  Clock::WallTime updated = Clock::WallTime::min();
  std::optional<std::string> new_state;
};

// Holds while nobody else writes. Thread safety: one thread at a time.
class KnownPlaces {
 public:
  // Null if it is not known.
  const KnownRun* find_run(std::string_view id) const;
  const EventPlace* find_event(std::string_view id) const;

  void add_run(std::string_view id, const RunPlace& place);
  void add_event(const std::string& id, const EventPlace& place);

  // The run, to be changed. REQUIRES: it is known.
  KnownRun& change_run(std::string_view id);
  // Those that were to be changed, each once.
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
