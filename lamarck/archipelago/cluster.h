// The functions of an island that share one signature.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lamarck/archipelago/function.h"
#include "lamarck/base/profiler.h"
#include "lamarck/base/rng.h"

namespace lamarck::archipelago {

struct FnAdded {
  static constexpr std::string_view type = "on_fn_added";
  FunctionPtr payload;
};
struct FnSelected {
  static constexpr std::string_view type = "on_fn_selected";
  std::pair<std::vector<FunctionPtr>, FunctionPtr> payload;
};
using ClusterEvent = std::variant<FnAdded, FnSelected>;

// What counts as the length of a function.
enum class LengthUnit : std::uint8_t {
  Size,        // Skeleton::size(): nodes of a formula.
  Characters,  // Of the source.
};

// Owned by one thread at a time.
class Cluster {
 public:
  explicit Cluster(LengthUnit unit = LengthUnit::Size) : unit_(unit) {}

  // REQUIRES: `fn` is evaluated and did not fail.
  void add_fn(FunctionPtr fn);
  // Removes the longest function, except the best one.
  // REQUIRES: at least two functions.
  void drop_longest();
  // Draws a function by the softmax of its negated, normalized length, so that
  // short functions are more likely. REQUIRES: not empty.
  FunctionPtr select_fn(Rng& rng) const;
  // REQUIRES: not empty.
  const FunctionPtr& best_fn() const;

  const std::vector<FunctionPtr>& functions() const { return functions_; }
  double score() const;  // The score of best_fn().

  Remover use_profiler(Profiler<ClusterEvent>::Function function);

 private:
  LengthUnit unit_;
  std::vector<FunctionPtr> functions_;
  std::size_t best_ = 0;  // The shortest function with the highest score.
  // Set by the first use_profiler(). Until then no events are built.
  bool has_profiler_ = false;
  Profiler<ClusterEvent> profiler_;
};

}  // namespace lamarck::archipelago
