#include "lamarck/archipelago/island.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/portable_math.h"

namespace lamarck::archipelago {
namespace {

// How often to redraw a cluster that is already drawn before taking the best
// remaining one. At a low temperature nearly all draws give the best cluster,
// so redrawing may not end otherwise.
constexpr int kMaxRedraws = 64;

// Draws a rank below `count` by the softmax over ranks: the weights fall from 1
// for the first rank to exp(-1 / temperature) for the last. They are a
// geometric series, so inverting its distribution function takes O(1) instead
// of O(count).
std::size_t draw_rank(std::size_t count, double temperature, Rng& rng) {
  if (count == 1) return 0;
  const auto ranks = static_cast<double>(count);
  const double step = 1 / ((ranks - 1) * temperature);
  const double total = 1 - portable_exp(-step * ranks);
  const double rank = -portable_log(1 - rng.uniform() * total) / step;
  // Rounding may put the rank slightly outside of the range.
  return static_cast<std::size_t>(std::clamp(rank, 0.0, ranks - 1));
}

}  // namespace

Island::Island(IslandOptions options, MutationEngine& engine,
               const FunctionPtr& first)
    : options_(options), engine_(&engine) {
  REQUIRE(options_.temperature > 0 && options_.temperature_period > 0,
          "Island: temperature must be positive and temperature_period at "
          "least 1, got {} and {}.",
          options_.temperature, options_.temperature_period);
  REQUIRE(options_.num_selected_clusters > 0,
          "Island: num_selected_clusters must be at least 1, got {}.",
          options_.num_selected_clusters);
  REQUIRE(first != nullptr && !first->evaluation().failure,
          "Island: the first function must be evaluated without failure; check "
          "evaluation().failure first.");
  store(first);
}

std::vector<FunctionPtr> Island::parents_for(
    const MutationContext& context) const {
  // A separate stream, so that an engine that draws more does not change which
  // parents are chosen.
  Rng rng = context.rng.split("parents");
  return select_parents(rng);
}

MutationResult Island::request_mutation(const MutationContext& context,
                                        const Screen& screen, bool evaluates) {
  MutationResult made = engine_->mutate(parents_for(context), context);
  if (!made) return made;
  Function& fn = **made;
  if (!fn.is_evaluated() && screen) screen(fn);
  if (!fn.is_evaluated() && evaluates) fn.evaluate(context.cancel);
  return made;
}

bool Island::store(const FunctionPtr& fn) {
  if (fn->evaluation().failure) return false;
  ++size_;
  ++stored_;
  ++hashes_[fn->skeleton()->hash()];
  add_to(find_or_add_cluster(*fn), fn);
  const bool is_best = best_ == nullptr || fn->score() > best_->score();
  if (is_best) best_ = fn;
  drop_worst_clusters();
  // Sent last, so that profilers see the island in its final state.
  if (is_best) profiler_.send(BestFnImproved{fn});
  return is_best;
}

Island::Entry Island::find_or_add_cluster(const Function& fn) {
  Signature signature =
      options_.signature_digits == kSignatureDigits
          ? fn.signature()
          : make_signature(fn.evaluation().scores, options_.signature_digits);
  const auto [entry, is_new] =
      clusters_.try_emplace(std::move(signature), options_.length_unit);
  if (is_new) {
    for (const auto& each : cluster_profilers_) {
      entry->second.use_profiler(each);
    }
  }
  return entry;
}

void Island::add_to(Entry entry, const FunctionPtr& fn) {
  Cluster& cluster = entry->second;
  // The ranking is sorted by score, so the entry must leave it before its score
  // changes.
  if (!cluster.functions().empty()) unrank(entry);
  cluster.add_fn(fn);
  const std::size_t max = options_.max_functions_per_cluster;
  if (max > 0 && cluster.functions().size() > max) {
    // drop_longest does not say which function it removes, so all hashes of the
    // cluster are removed and those of the rest added again.
    forget_hashes(cluster);
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
  // Several clusters may have the same score; find the right one.
  ranking_.erase(std::find(first, ranking_.end(), entry));
}

void Island::drop_worst_clusters() {
  if (options_.max_functions == 0) return;
  while (size_ > options_.max_functions && ranking_.size() > 1) {
    const Entry worst = ranking_.back();
    ranking_.pop_back();
    forget_hashes(worst->second);
    size_ -= worst->second.functions().size();
    clusters_.erase(worst);
  }
}

void Island::forget_hashes(const Cluster& cluster) {
  for (const FunctionPtr& fn : cluster.functions()) {
    const auto known = hashes_.find(fn->skeleton()->hash());
    ENSURE(known != hashes_.end(),
           "every stored skeleton has an entry in hashes_");
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

// Draws distinct clusters. Redrawing until a cluster is new is the same as
// drawing from the remaining ones.
std::vector<std::size_t> Island::draw_clusters(Rng& rng) const {
  const std::size_t count =
      std::min(options_.num_selected_clusters, ranking_.size());
  const double now = temperature();
  std::vector<std::size_t> drawn;
  const auto is_drawn = [&](std::size_t rank) {
    return std::find(drawn.begin(), drawn.end(), rank) != drawn.end();
  };
  while (drawn.size() < count) {
    std::size_t rank = draw_cluster(now, rng);
    for (int i = 0; i < kMaxRedraws && is_drawn(rank); ++i) {
      rank = draw_cluster(now, rng);
    }
    if (is_drawn(rank)) rank = 0;
    while (is_drawn(rank)) ++rank;
    drawn.push_back(rank);
  }
  return drawn;
}

std::vector<FunctionPtr> Island::select_parents(Rng& rng) const {
  std::vector<std::size_t> drawn = draw_clusters(rng);
  std::sort(drawn.rbegin(), drawn.rend());  // From worst to best.
  std::vector<FunctionPtr> parents;
  parents.reserve(drawn.size());
  for (const std::size_t rank : drawn) {
    parents.push_back(ranking_[rank]->second.select_fn(rng));
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
