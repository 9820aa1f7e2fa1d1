#include "lamarck/runs/program_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lamarck::runs {
namespace {

constexpr std::size_t kMaxAncestry = 60;
constexpr std::size_t kMaxFunctions = 100'000;

}  // namespace

ProgramSource::ProgramSource(Clock& clock)
    : clock_(clock), began_(clock.elapsed()) {}

void ProgramSource::note(const archipelago::CycleEnded::Payload& cycle) {
  if (cycle.best == nullptr) return;
  const std::lock_guard lock(mutex_);
  pending_ = Snapshot{.counts = cycle.counts,
                      .best = cycle.best,
                      .islands = cycle.island_scores,
                      .elapsed = clock_.elapsed() - began_};
}

void ProgramSource::note(const archipelago::FunctionPtr& added) {
  const std::lock_guard lock(mutex_);
  if (functions_.size() < kMaxFunctions) functions_[added->id()] = added;
}

// From the first function to this one. The last parent is the best one.
Json ProgramSource::lineage(archipelago::FunctionPtr fn) const {
  std::vector<Json> ancestors;
  while (fn != nullptr && ancestors.size() < kMaxAncestry) {
    const archipelago::Origin& origin = fn->origin();
    ancestors.push_back(
        {{"id", fn->id()},
         {"engine", origin.move.empty() ? origin.engine
                                        : origin.engine + ": " + origin.move},
         {"score", fn->score()}});
    if (origin.parents.empty() || origin.parents.back() >= fn->id()) break;
    const auto parent = functions_.find(origin.parents.back());
    fn = parent == functions_.end() ? nullptr : parent->second;
  }
  std::ranges::reverse(ancestors);
  return ancestors;
}

void ProgramSource::collect(std::vector<RunEvent>& events) {
  const std::lock_guard lock(mutex_);
  const std::optional<Snapshot> taken = std::exchange(pending_, std::nullopt);
  if (!taken) return;
  const double seconds = std::chrono::duration<double>(taken->elapsed).count();
  if (taken->best->id() != last_best_) {
    last_best_ = taken->best->id();
    events.push_back({.type = "program",
                      .payload = {{"evaluations", taken->counts.evaluations},
                                  {"seconds", seconds},
                                  {"score", taken->best->score()},
                                  {"source", taken->best->skeleton()->source()},
                                  {"lineage", lineage(taken->best)}}});
  }
  events.push_back({.type = "progress",
                    .payload = {{"evaluations", taken->counts.evaluations},
                                {"seconds", seconds},
                                {"score", taken->best->score()},
                                {"islands", taken->islands},
                                {"failed", taken->counts.failed}}});
}

}  // namespace lamarck::runs
