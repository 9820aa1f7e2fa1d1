// One population: clusters of functions that behave alike, changed only on
// request.

#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <variant>
#include <vector>

#include "lamarck/archipelago/cluster.h"
#include "lamarck/archipelago/function.h"
#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/base/profiler.h"

namespace lamarck::archipelago {

struct OnBestFnImproved {
  static constexpr std::string_view type = "on_best_fn_improved";
  FunctionPtr payload;
};
using IslandEvent = std::variant<OnBestFnImproved>;

struct IslandOptions {
  std::size_t num_selected_clusters = 2;
  double temperature = 0.1;                 // Of an empty island; > 0.
  std::size_t temperature_period = 30'000;  // Functions until it is near 0.
  std::size_t most_functions =
      10'000;  // The worst clusters make room; 0: none.
};

// Owned by one thread at a time.
class Island {
 public:
  // `first` is evaluated.
  Island(IslandOptions options, MutationEngine& engine, FunctionPtr first);

  const FunctionPtr& best_fn() const;

  // Chooses parents, mutates, evaluates. The new function is not stored yet:
  // `store` does that, so that an evolver can record it first.
  Result<FunctionPtr> request_mutation(const MutationContext& context);
  // Whether it is now the best of the island. A failed one is not kept.
  bool store(const FunctionPtr& fn);

  // Parents from different clusters, from worst to best.
  std::vector<FunctionPtr> select_parents(Rng& rng) const;

  std::size_t size() const { return size_; }  // Functions.
  const std::map<Signature, Cluster>& clusters() const { return clusters_; }

  Remover use_profiler(Profiler<IslandEvent>::Function function);

 private:
  IslandOptions options_;
  MutationEngine* engine_;  // Outlives the island.
  std::map<Signature, Cluster> clusters_;
  FunctionPtr best_;
  std::size_t size_ = 0;
  Profiler<IslandEvent> profiler_;
};

}  // namespace lamarck::archipelago
