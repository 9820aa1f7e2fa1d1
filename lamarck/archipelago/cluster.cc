#include "lamarck/archipelago/cluster.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"

namespace lamarck::archipelago {
namespace {

double length(const FunctionPtr& fn, LengthUnit unit) {
  const Skeleton& skeleton = *fn->skeleton();
  return static_cast<double>(
      unit == LengthUnit::Size ? skeleton.size() : skeleton.source().size());
}

// Among equal scores the shorter function is better.
bool is_better(const FunctionPtr& a, const FunctionPtr& b, LengthUnit unit) {
  if (a->score() != b->score()) return a->score() > b->score();
  return length(a, unit) < length(b, unit);
}

// The negated length, scaled to [-1, 0]: 0 for the shortest function and -1 for
// the longest. Scaling makes the softmax independent of the unit of length.
std::vector<double> shortness(const std::vector<FunctionPtr>& functions,
                              LengthUnit unit) {
  const auto [low, high] = std::minmax_element(
      functions.begin(), functions.end(), [unit](const auto& a, const auto& b) {
        return length(a, unit) < length(b, unit);
      });
  const double shortest = length(*low, unit);
  const double range = length(*high, unit) - shortest;
  std::vector<double> shortness;
  shortness.reserve(functions.size());
  for (const FunctionPtr& fn : functions) {
    shortness.push_back(range > 0 ? (shortest - length(fn, unit)) / range : 0);
  }
  return shortness;
}

}  // namespace

void Cluster::add_fn(FunctionPtr fn) {
  REQUIRE(fn != nullptr && std::isfinite(fn->score()),
          "Cluster::add_fn: the function must be evaluated without failure; "
          "check evaluation().failure first.");
  functions_.push_back(std::move(fn));
  const std::size_t last = functions_.size() - 1;
  if (is_better(functions_[last], functions_[best_], unit_)) best_ = last;
  if (has_profiler_) profiler_.send(FnAdded{functions_[last]});
}

void Cluster::drop_longest() {
  REQUIRE(
      functions_.size() > 1,
      "Cluster::drop_longest: the cluster must have at least two functions, "
      "got {}.",
      functions_.size());
  // Starts at a function other than the best, which must never be dropped.
  std::size_t longest = best_ == 0 ? 1 : 0;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (i != best_ &&
        length(functions_[i], unit_) > length(functions_[longest], unit_)) {
      longest = i;
    }
  }
  functions_.erase(functions_.begin() + static_cast<std::ptrdiff_t>(longest));
  if (longest < best_) --best_;  // Erasing shifted the best function down.
}

FunctionPtr Cluster::select_fn(Rng& rng) const {
  REQUIRE(!functions_.empty(),
          "Cluster::select_fn: the cluster must not be empty; call add_fn "
          "first.");
  const FunctionPtr& chosen =
      functions_[rng.softmax_choice(shortness(functions_, unit_))];
  // The event copies the whole cluster, so it is built only if it is needed.
  if (has_profiler_) profiler_.send(FnSelected{{functions_, chosen}});
  return chosen;
}

const FunctionPtr& Cluster::best_fn() const {
  REQUIRE(
      !functions_.empty(),
      "Cluster::best_fn: the cluster must not be empty; call add_fn first.");
  return functions_[best_];
}

double Cluster::score() const { return best_fn()->score(); }

Remover Cluster::use_profiler(Profiler<ClusterEvent>::Function function) {
  has_profiler_ = true;
  return profiler_.use_profiler(std::move(function));
}

}  // namespace lamarck::archipelago
