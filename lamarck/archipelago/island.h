// One population: clusters of functions that behave alike. It changes only
// through `store`.

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

struct BestFnImproved {
  static constexpr std::string_view type = "on_best_fn_improved";
  FunctionPtr payload;
};
using IslandEvent = std::variant<BestFnImproved>;

// The values that the softmax over clusters is applied to.
enum class ScoreScale : std::uint8_t {
  // The rank among the clusters, from 0 for the worst to 1 for the best. It
  // works alike for scores of 10 and 20 and for errors of 1e-3 and 1e-30.
  Rank,
  // The score itself, as in FunSearch. Use it if a difference of scores means
  // the same everywhere.
  Raw,
};

struct IslandOptions {
  std::size_t num_selected_clusters = 2;
  ScoreScale score_scale = ScoreScale::Rank;
  // Temperature T of the softmax in an empty island; > 0. After n stored
  // functions it is T (1 - (n mod period) / period): it falls, then restarts.
  double temperature = 0.1;
  std::size_t temperature_period = 30'000;
  // Above these limits, the island removes its worst clusters, and a cluster
  // its longest function. 0 means no limit.
  std::size_t max_functions = 10'000;
  std::size_t max_functions_per_cluster = 64;
  LengthUnit length_unit = LengthUnit::Size;  // Short functions are preferred.
  // Functions whose scores agree to this many digits share a cluster.
  int signature_digits = kSignatureDigits;
};

// Owned by one thread at a time.
class Island {
 public:
  // Called with each new function before it is evaluated. If the screen calls
  // `accept` with a known evaluation, the function is not evaluated.
  using Screen = std::function<void(Function&)>;

  // REQUIRES: `first` is evaluated and did not fail.
  Island(IslandOptions options, MutationEngine& engine,
         const FunctionPtr& first);

  const FunctionPtr& best_fn() const { return best_; }

  // The parents that request_mutation would choose.
  std::vector<FunctionPtr> parents_for(const MutationContext& context) const;
  // Chooses parents, mutates and evaluates. Does not store the new function, so
  // that an evolver can record it before calling `store`. Without `evaluates`,
  // the function may still need its evaluation.
  MutationResult request_mutation(const MutationContext& context,
                                  const Screen& screen = {},
                                  bool evaluates = true);
  // Returns whether `fn` is now the best of the island. Ignores failed
  // functions.
  bool store(const FunctionPtr& fn);

  // Draws distinct clusters by softmax over their scores and one function from
  // each. Returns the functions from worst to best.
  std::vector<FunctionPtr> select_parents(Rng& rng) const;

  double temperature() const;
  std::size_t size() const { return size_; }  // The number of functions.
  // The number of functions ever stored, including those removed since.
  std::size_t stored() const { return stored_; }
  // Whether the island has a function whose skeleton has this hash.
  bool has_skeleton(std::uint64_t hash) const { return hashes_.contains(hash); }
  const std::map<Signature, Cluster>& clusters() const { return clusters_; }

  Remover use_profiler(Profiler<IslandEvent>::Function function);
  // Receives the events of all clusters, including those created later.
  void use_cluster_profiler(Profiler<ClusterEvent>::Function function);

 private:
  using Entry = std::map<Signature, Cluster>::iterator;

  Entry find_or_add_cluster(const Function& fn);
  void add_to(Entry entry, const FunctionPtr& fn);
  void rank(Entry entry);
  void unrank(Entry entry);
  void drop_worst_clusters();
  void forget_hashes(const Cluster& cluster);
  std::size_t draw_cluster(double temperature, Rng& rng) const;
  std::vector<std::size_t> draw_clusters(Rng& rng) const;

  IslandOptions options_;
  MutationEngine* engine_;  // Outlives the island.
  std::map<Signature, Cluster> clusters_;
  std::vector<Entry> ranking_;  // Point into clusters_, from best to worst.
  // How many functions have a skeleton of each hash.
  std::unordered_map<std::uint64_t, std::size_t> hashes_;
  FunctionPtr best_;
  std::size_t size_ = 0;
  std::size_t stored_ = 0;
  Profiler<IslandEvent> profiler_;
  std::vector<Profiler<ClusterEvent>::Function> cluster_profilers_;
};

}  // namespace lamarck::archipelago
