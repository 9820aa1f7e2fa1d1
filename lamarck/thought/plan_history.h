// How plans like a new one ended.

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::thought {

// What makes two plans of a type alike.
struct PlanTraits {
  std::string plan_type;
  // "capability edit_files", "tool pytest", "folder docs".
  std::set<std::string> parts;
  double scope = 0;      // 0 to 1, as in the risk of a plan.
  bool is_known = true;  // False: recorded by a version without traits.

  friend bool operator==(const PlanTraits&, const PlanTraits&) = default;
};
// From capabilities_required, tools, the tools of the steps, the folder of
// target_path, and limits.
PlanTraits traits_of(std::string_view plan_type, const Json& plan);

// 0 to 1; 0 for different types.
double similarity(const PlanTraits& a, const PlanTraits& b);

struct PlanOutcome {
  PlanTraits traits;
  bool success = false;
  Clock::WallTime time{};
};

// The latest outcomes of plans.
class PlanHistory {
 public:
  static constexpr std::size_t kMaxOutcomes = 1000;
  // An outcome counts half as much after this time.
  static constexpr std::chrono::hours kHalfLife{30 * 24};
  // The smoothing: as if there had been this many earlier outcomes, half of
  // them successes. A single outcome then does not decide.
  static constexpr double kPriorOutcomes = 2;

  void add(PlanOutcome outcome);
  // The share of successes among similar plans of the type, weighted by
  // similarity and age and smoothed; nullopt if there is none.
  std::optional<double> success_rate(const PlanTraits& traits,
                                     Clock::WallTime now) const;
  const std::deque<PlanOutcome>& outcomes() const { return outcomes_; }

  Json to_json() const;
  static Result<PlanHistory> from_json(const Json& json);

 private:
  std::deque<PlanOutcome> outcomes_;  // Oldest first.
};

// From the context that a caller gives with a plan: {"similar_operations":
// [{"success": true}, ...]}. nullopt if it has none.
Result<std::optional<double>> given_success_rate(const Json& context);

Json to_json(const PlanTraits& traits);
Result<PlanTraits> traits_from_json(const Json& json);

}  // namespace lamarck::thought
