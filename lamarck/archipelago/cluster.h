// Functions of one signature.

#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lamarck/archipelago/function.h"
#include "lamarck/base/profiler.h"
#include "lamarck/base/rng.h"

namespace lamarck::archipelago {

struct OnFnAdded {
  static constexpr std::string_view type = "on_fn_added";
  FunctionPtr payload;
};
struct OnFnSelected {
  static constexpr std::string_view type = "on_fn_selected";
  std::pair<std::vector<FunctionPtr>, FunctionPtr> payload;
};
using ClusterEvent = std::variant<OnFnAdded, OnFnSelected>;

// Owned by one thread at a time.
class Cluster {
 public:
  // REQUIRES: evaluated, and did not fail.
  void add_fn(FunctionPtr fn);
  // Drops the longest function that is not the best one.
  // REQUIRES: two functions or more.
  void drop_longest();
  // Short sources are likelier: softmax of the negated, normalised length.
  // REQUIRES: not empty, both.
  FunctionPtr select_fn(Rng& rng) const;
  const FunctionPtr& best_fn() const;

  const std::vector<FunctionPtr>& functions() const { return functions_; }
  double score() const;  // Of the best one.

  Remover use_profiler(Profiler<ClusterEvent>::Function function);

 private:
  std::vector<FunctionPtr> functions_;
  std::size_t best_ = 0;   // The shortest of those with the highest score.
  bool is_heard_ = false;  // Somebody plugged a profiler in once.
  Profiler<ClusterEvent> profiler_;
};

}  // namespace lamarck::archipelago
