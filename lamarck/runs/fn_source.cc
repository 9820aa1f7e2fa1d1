#include "lamarck/runs/fn_source.h"

#include <cmath>
#include <utility>

#include "lamarck/formula/formula.h"

namespace lamarck::runs {
namespace {

using std::chrono_literals::operator""ms;

constexpr std::chrono::nanoseconds kCopyPeriod = 200ms;
constexpr std::size_t kMaxLineageEntries = 60;
constexpr int kAllDigits = 17;

double to_seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json numbers_json(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(finite_or_null(value));
  return json;
}

std::vector<std::uint64_t> ids_in(const std::vector<law::Law>& front) {
  std::vector<std::uint64_t> ids;
  for (const law::Law& law : front) ids.push_back(law.id);
  return ids;
}

Json lineage_json(const std::vector<law::LawAncestor>& lineage) {
  Json json = Json::array();
  const std::size_t skipped = lineage.size() > kMaxLineageEntries
                                  ? lineage.size() - kMaxLineageEntries
                                  : 0;
  for (std::size_t i = skipped; i < lineage.size(); ++i) {
    const law::LawAncestor& each = lineage[i];
    json.push_back({{"id", each.id},
                    {"engine", each.engine},
                    {"move", each.move},
                    {"formula", each.formula},
                    {"nmse", finite_or_null(each.nmse)},
                    {"size", each.size}});
  }
  return json;
}

RunEvent progress_event(const law::LawProgress& progress, bool is_final) {
  return {.type = "progress",
          .payload = {
              {"evaluations", progress.counts.evaluations},
              {"seconds", to_seconds(progress.elapsed)},
              {"score", finite_or_null(progress.best_nmse)},
              {"loss", finite_or_null(progress.best_nmse)},
              {"size", progress.best_size},
              {"final", is_final},
              {"islands", numbers_json(progress.island_nmse)},
              {"tokens", progress.counts.cost.tokens_in +
                             progress.counts.cost.tokens_out},
              {"usd",
               static_cast<double>(progress.counts.cost.money_micros) / 1e6}}};
}

}  // namespace

FnSource::FnSource(Clock& clock) : clock_(clock) {}

void FnSource::note(const law::LawProgress& progress) {
  const auto now = clock_.elapsed();
  const std::lock_guard lock(mutex_);
  if (now < next_) return;
  next_ = now + kCopyPeriod;
  Snapshot snapshot;
  snapshot.progress = progress;
  snapshot.progress.front = nullptr;
  snapshot.progress.lineage = nullptr;
  const bool has_new =
      progress.front != nullptr && ids_in(*progress.front) != last_ids_;
  if (has_new) {
    last_ids_ = ids_in(*progress.front);
    snapshot.front = *progress.front;
    snapshot.chosen = snapshot.front.empty() ? 0 : snapshot.front.size() - 1;
    if (progress.lineage && !snapshot.front.empty()) {
      snapshot.lineage = progress.lineage(snapshot.front.back().id);
    }
    has_front_ = true;
  } else if (pending_ && has_front_) {
    // Not collected yet.
    snapshot.front = std::move(pending_->front);
    snapshot.chosen = pending_->chosen;
    snapshot.lineage = std::move(pending_->lineage);
  }
  pending_ = std::move(snapshot);
}

void FnSource::note(const law::LawSearchResult& result, double seconds) {
  const std::lock_guard lock(mutex_);
  if (result.front.empty()) return;
  Snapshot snapshot;
  snapshot.is_final = true;
  snapshot.front = result.front;
  snapshot.chosen = result.best;
  snapshot.lineage = result.lineage;
  if (pending_) {
    snapshot.progress.island_nmse = pending_->progress.island_nmse;
    // A short run has not been looked at yet: its curve needs this point.
    if (!pending_->is_final) uncollected_ = pending_->progress;
  }
  snapshot.progress.counts = result.counts;
  snapshot.progress.best_nmse = result.front[result.best].nmse;
  snapshot.progress.best_size = result.front[result.best].size;
  snapshot.progress.elapsed =
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(seconds));
  has_front_ = true;
  pending_ = std::move(snapshot);
}

RunEvent FnSource::front_event(const Snapshot& snapshot) const {
  Json laws = Json::array();
  for (const law::Law& law : snapshot.front) {
    laws.push_back(
        {{"id", law.id},
         {"size", law.size},
         {"nmse", finite_or_null(law.nmse)},
         {"formula", formula::to_infix(law.formula, &law.params, kAllDigits)}});
  }
  return {.type = "front",
          .payload = {{"evaluations", snapshot.progress.counts.evaluations},
                      {"seconds", to_seconds(snapshot.progress.elapsed)},
                      {"laws", std::move(laws)},
                      {"chosen", snapshot.chosen},
                      {"islands", numbers_json(snapshot.progress.island_nmse)},
                      {"lineage", lineage_json(snapshot.lineage)}}};
}

void FnSource::collect(std::vector<RunEvent>& events) {
  std::optional<Snapshot> taken;
  std::optional<law::LawProgress> earlier;
  bool has_front = false;
  {
    const std::lock_guard lock(mutex_);
    taken = std::exchange(pending_, std::nullopt);
    has_front = std::exchange(has_front_, false);
    earlier = std::exchange(uncollected_, std::nullopt);
  }
  if (!taken) return;
  if (earlier) events.push_back(progress_event(*earlier, false));
  if (has_front) events.push_back(front_event(*taken));
  events.push_back(progress_event(taken->progress, taken->is_final));
}

}  // namespace lamarck::runs
