#include "lamarck/archipelago/island.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/portable_math.h"

namespace lamarck::archipelago {
namespace {

// How often a cluster that was drawn already is drawn again before the best
// one that is left takes its place.
constexpr int kDraws = 64;

// A place below `count`, where weights fall from 1 for the first to
// exp(-1 / temperature) for the last: the softmax over ranks.
std::size_t draw_rank(std::size_t count, double temperature, Rng& rng) {
  if (count == 1) return 0;
  const auto places = static_cast<double>(count);
  const double step = 1 / ((places - 1) * temperature);
  const double all = 1 - portable_exp(-step * places);
  const double place = -portable_log(1 - rng.uniform() * all) / step;
  return static_cast<std::size_t>(std::clamp(place, 0.0, places - 1));
}

}  // namespace

Island::Island(IslandOptions options, MutationEngine& engine,
               const FunctionPtr& first)
    : options_(options), engine_(&engine) {
  REQUIRE(options_.temperature > 0 && options_.temperature_period > 0,
          "Island: a temperature and a period above 0");
  REQUIRE(options_.num_selected_clusters > 0, "Island: a cluster to select");
  REQUIRE(first != nullptr && !first->evaluation().failure,
          "Island: a first function with a score");
  store(first);
}

Result<FunctionPtr> Island::request_mutation(const MutationContext& context,
                                             const Screen& screen) {
  Rng rng = context.rng.split("parents");
  ASSIGN_OR_RETURN(FunctionPtr made,
                   engine_->mutate(select_parents(rng), context));
  if (!made->is_evaluated() && screen) screen(*made);
  if (!made->is_evaluated()) made->evaluate(context.cancel);
  return made;
}

bool Island::store(const FunctionPtr& fn) {
  if (fn->evaluation().failure) return false;
  ++size_;
  ++stored_;
  ++hashes_[fn->skeleton()->hash()];
  add_to(cluster_of(*fn), fn);
  const bool is_best = best_ == nullptr || fn->score() > best_->score();
  if (is_best) best_ = fn;
  make_room();
  if (is_best) profiler_.send(OnBestFnImproved{fn});
  return is_best;
}

Island::Entry Island::cluster_of(const Function& fn) {
  Signature signature =
      options_.signature_digits == kSignatureDigits
          ? fn.signature()
          : signature_of(fn.evaluation().scores, options_.signature_digits);
  const auto [entry, is_new] = clusters_.try_emplace(std::move(signature));
  if (is_new) {
    for (const auto& each : cluster_profilers_) {
      entry->second.use_profiler(each);
    }
  }
  return entry;
}

void Island::add_to(Entry entry, const FunctionPtr& fn) {
  Cluster& cluster = entry->second;
  if (!cluster.functions().empty()) unrank(entry);
  cluster.add_fn(fn);
  const std::size_t most = options_.most_functions_per_cluster;
  if (most > 0 && cluster.functions().size() > most) {
    forget(cluster);
    cluster.drop_longest();
    for (const FunctionPtr& each : cluster.functions()) {
      ++hashes_[each->skeleton()->hash()];
    }
    --size_;
  }
  rank(entry);
}

void Island::rank(Entry entry) {
  const double score = entry->second.score();
  const auto place = std::upper_bound(
      ranking_.begin(), ranking_.end(), score,
      [](double own, Entry other) { return own > other->second.score(); });
  ranking_.insert(place, entry);
}

void Island::unrank(Entry entry) {
  const double score = entry->second.score();
  const auto first = std::lower_bound(
      ranking_.begin(), ranking_.end(), score,
      [](Entry other, double own) { return other->second.score() > own; });
  ranking_.erase(std::find(first, ranking_.end(), entry));
}

void Island::make_room() {
  if (options_.most_functions == 0) return;
  while (size_ > options_.most_functions && ranking_.size() > 1) {
    const Entry worst = ranking_.back();
    ranking_.pop_back();
    forget(worst->second);
    size_ -= worst->second.functions().size();
    clusters_.erase(worst);
  }
}

void Island::forget(const Cluster& cluster) {
  for (const FunctionPtr& fn : cluster.functions()) {
    const auto known = hashes_.find(fn->skeleton()->hash());
    ENSURE(known != hashes_.end(), "an island knows its skeletons");
    if (--known->second == 0) hashes_.erase(known);
  }
}

double Island::temperature() const {
  const auto period = static_cast<double>(options_.temperature_period);
  const auto age = static_cast<double>(stored_ % options_.temperature_period);
  return options_.temperature * (1 - age / period);
}

std::size_t Island::draw_cluster(double temperature, Rng& rng) const {
  if (options_.score_scale == ScoreScale::Rank) {
    return draw_rank(ranking_.size(), temperature, rng);
  }
  std::vector<double> scores;
  scores.reserve(ranking_.size());
  for (const Entry entry : ranking_) scores.push_back(entry->second.score());
  return rng.softmax_choice(scores, temperature);
}

// Different ones. To draw again what was drawn already is to draw from the
// rest.
std::vector<std::size_t> Island::draw_clusters(Rng& rng) const {
  const std::size_t count =
      std::min(options_.num_selected_clusters, ranking_.size());
  const double now = temperature();
  std::vector<std::size_t> drawn;
  const auto is_drawn = [&](std::size_t place) {
    return std::find(drawn.begin(), drawn.end(), place) != drawn.end();
  };
  while (drawn.size() < count) {
    std::size_t place = draw_cluster(now, rng);
    for (int i = 0; i < kDraws && is_drawn(place); ++i) {
      place = draw_cluster(now, rng);
    }
    if (is_drawn(place)) place = 0;
    while (is_drawn(place)) ++place;
    drawn.push_back(place);
  }
  return drawn;
}

std::vector<FunctionPtr> Island::select_parents(Rng& rng) const {
  std::vector<std::size_t> drawn = draw_clusters(rng);
  std::sort(drawn.rbegin(), drawn.rend());  // The worst first.
  std::vector<FunctionPtr> parents;
  parents.reserve(drawn.size());
  for (const std::size_t place : drawn) {
    parents.push_back(ranking_[place]->second.select_fn(rng));
  }
  return parents;
}

Remover Island::use_profiler(Profiler<IslandEvent>::Function function) {
  return profiler_.use_profiler(std::move(function));
}

void Island::use_cluster_profiler(Profiler<ClusterEvent>::Function function) {
  for (auto& [signature, cluster] : clusters_) cluster.use_profiler(function);
  cluster_profilers_.push_back(std::move(function));
}

}  // namespace lamarck::archipelago
