#include "lamarck/store/internal/known_places.h"

#include <utility>

#include "lamarck/base/ensure.h"

namespace lamarck::store::internal {
namespace {

constexpr std::size_t kMostKnownRuns = 1000;
constexpr std::size_t kMostKnownEvents = 1000;

}  // namespace

const KnownRun* KnownPlaces::find_run(std::string_view id) const {
  const auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

const EventPlace* KnownPlaces::find_event(std::string_view id) const {
  const std::string key(id);
  const auto found = events_.find(key);
  if (found != events_.end()) return &found->second;
  const auto older = older_events_.find(key);
  return older == older_events_.end() ? nullptr : &older->second;
}

void KnownPlaces::add_run(std::string_view id, const RunPlace& place) {
  runs_.emplace(id, KnownRun{.place = place});
}

void KnownPlaces::add_event(const std::string& id, const EventPlace& place) {
  events_.emplace(id, place);
}

KnownRun& KnownPlaces::known_run(std::string_view id) {
  const auto found = runs_.find(id);
  REQUIRE(found != runs_.end(), "known_run: a run that is known");
  return found->second;
}

std::vector<KnownRun*> KnownPlaces::take_changed() {
  std::vector<KnownRun*> changed(changed_.begin(), changed_.end());
  changed_.clear();
  return changed;
}

void KnownPlaces::forget() {
  changed_.clear();
  runs_.clear();
  events_.clear();
  older_events_.clear();
}

void KnownPlaces::keep_small() {
  if (runs_.size() > kMostKnownRuns) forget();
  if (events_.size() < kMostKnownEvents) return;
  older_events_ = std::exchange(events_, {});
}

}  // namespace lamarck::store::internal
