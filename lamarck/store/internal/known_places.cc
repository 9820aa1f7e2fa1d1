#include "lamarck/store/internal/known_places.h"

#include "lamarck/base/ensure.h"

namespace lamarck::store::internal {
namespace {

constexpr std::size_t kMaxRuns = 1000;

}  // namespace

std::size_t KnownPlaces::hash_slot(std::string_view id) const {
  return std::hash<std::string_view>()(id) % events_.size();
}

const KnownRun* KnownPlaces::find_run(std::string_view id) const {
  const auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

const EventPlace* KnownPlaces::find_event(std::string_view id) const {
  const KnownEvent& event = events_[hash_slot(id)];
  return !id.empty() && event.id == id ? &event.place : nullptr;
}

void KnownPlaces::add_run(std::string_view id, const RunPlace& place) {
  runs_.emplace(id, KnownRun{.place = place});
}

void KnownPlaces::add_event(std::string_view id, const EventPlace& place) {
  KnownEvent& event = events_[hash_slot(id)];
  event.id = id;
  event.place = place;
}

KnownRun& KnownPlaces::known_run(std::string_view id) {
  const auto found = runs_.find(id);
  REQUIRE(found != runs_.end(),
          "KnownPlaces::known_run: run '{}' must be cached.", id);
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
  for (KnownEvent& event : events_) event.id.clear();
}

void KnownPlaces::trim() {
  if (runs_.size() > kMaxRuns) forget();
}

}  // namespace lamarck::store::internal
