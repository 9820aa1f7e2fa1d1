// A multi-armed bandit that picks the next arm by UCB1 (Auer, Cesa-Bianchi and
// Fischer 2002).

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck {

struct BanditOptions {
  double exploration = 1.4142135623730951;  // c in the bonus c sqrt(ln N / n).
  bool cost_aware = false;  // Compare reward per cost instead of reward.
};

// Rewards are expected in [0, 1].
// Thread safety: used by one thread at a time.
class Bandit {
 public:
  explicit Bandit(std::size_t arms, BanditOptions options = {});

  // Returns the arm with the highest UCB1 index. Untried arms come first; ties
  // go to the lowest number. REQUIRES: at least one arm is not retired.
  std::size_t choose() const;
  // Like `choose`, but also counts the try as pending, so that concurrent
  // workers spread over the arms. Finish the try with `update` or `abandon`.
  std::size_t begin();

  // Records the reward and cost of one try.
  // REQUIRES: both are finite; cost > 0 if cost-aware.
  void update(std::size_t arm, double reward, double cost = 1.0);
  // Drops a pending try of `begin` that produced no reward.
  void abandon(std::size_t arm);

  std::size_t add_arm();         // Returns the new arm's number.
  void retire(std::size_t arm);  // The arm is never chosen again.

  std::size_t arm_count() const { return arms_.size(); }
  std::uint64_t tries(std::size_t arm) const { return at(arm).tries; }
  double mean_reward(std::size_t arm) const;  // 0 before the first try.
  double mean_cost(std::size_t arm) const;    // 0 before the first try.
  bool is_retired(std::size_t arm) const { return at(arm).retired; }

  // For checkpoints; pending tries are not saved.
  Json to_json() const;
  static Result<Bandit> from_json(const Json& json, BanditOptions options = {});

 private:
  struct Arm {
    std::uint64_t tries = 0;
    std::uint64_t pending = 0;
    double reward = 0;  // Sum over all tries, as is `cost`.
    double cost = 0;
    bool retired = false;
  };

  // Throws LogicError if `arm` is out of range.
  Arm& at(std::size_t arm);
  const Arm& at(std::size_t arm) const;
  double index(const Arm& arm, double log_total) const;

  BanditOptions options_;
  std::vector<Arm> arms_;
};

}  // namespace lamarck
