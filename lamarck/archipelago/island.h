// One population: clusters of functions that behave alike, changed only on
// request.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
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

// What the softmax over clusters sees.
enum class ScoreScale : std::uint8_t {
  // The place among the clusters, from 0 for the worst to 1 for the best: the
  // same for scores of 10 and 20 as for errors of 1e-3 and 1e-30.
  Rank,
  // The score itself, as FunSearch has it; for scores whose differences mean
  // the same everywhere.
  Raw,
};

struct IslandOptions {
  std::size_t num_selected_clusters = 2;
  ScoreScale score_scale = ScoreScale::Rank;
  // Of the softmax in an empty island; > 0. It falls with the functions that
  // were stored, T (1 - (n mod period) / period), and begins again.
  double temperature = 0.1;
  std::size_t temperature_period = 30'000;
  // Then the worst clusters make room, or the longest functions of one; 0 means
  // no limit.
  std::size_t most_functions = 10'000;
  std::size_t most_functions_per_cluster = 64;
  int signature_digits = kSignatureDigits;  // That alike functions share.
};

// Owned by one thread at a time.
class Island {
 public:
  // Sees a function before it is evaluated; one that it makes accept a known
  // evaluation is not evaluated.
  using Screen = std::function<void(Function&)>;

  // `first` is evaluated and did not fail.
  Island(IslandOptions options, MutationEngine& engine,
         const FunctionPtr& first);

  const FunctionPtr& best_fn() const { return best_; }

  // Chooses parents, mutates, evaluates. The new function is not stored yet:
  // `store` does that, so that an evolver can record it first.
  Result<FunctionPtr> request_mutation(const MutationContext& context,
                                       const Screen& screen = {});
  // Whether it is now the best of the island. A failed one is not kept.
  bool store(const FunctionPtr& fn);

  // Parents from different clusters, from worst to best. Clusters are drawn by
  // softmax over their scores, and one function from each that was drawn.
  std::vector<FunctionPtr> select_parents(Rng& rng) const;

  double temperature() const;
  std::size_t size() const { return size_; }      // Functions.
  std::size_t stored() const { return stored_; }  // Also those that made room.
  // Whether it has a function with this hash of its skeleton.
  bool has_skeleton(std::uint64_t hash) const { return hashes_.contains(hash); }
  const std::map<Signature, Cluster>& clusters() const { return clusters_; }

  Remover use_profiler(Profiler<IslandEvent>::Function function);
  // Hears of all clusters, those to come included, from now on.
  void use_cluster_profiler(Profiler<ClusterEvent>::Function function);

 private:
  using Entry = std::map<Signature, Cluster>::iterator;

  Entry cluster_of(const Function& fn);
  void add_to(Entry entry, const FunctionPtr& fn);
  void rank(Entry entry);
  void unrank(Entry entry);
  void make_room();
  void forget(const Cluster& cluster);
  std::size_t draw_cluster(double temperature, Rng& rng) const;
  std::vector<std::size_t> draw_clusters(Rng& rng) const;

  IslandOptions options_;
  MutationEngine* engine_;  // Outlives the island.
  std::map<Signature, Cluster> clusters_;
  std::vector<Entry> ranking_;  // Into clusters_, from best to worst.
  std::unordered_map<std::uint64_t, std::size_t> hashes_;  // Of skeletons.
  FunctionPtr best_;
  std::size_t size_ = 0;
  std::size_t stored_ = 0;
  Profiler<IslandEvent> profiler_;
  std::vector<Profiler<ClusterEvent>::Function> cluster_profilers_;
};

}  // namespace lamarck::archipelago
