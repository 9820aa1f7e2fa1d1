// Which arm to try next: UCB1 (Auer, Cesa-Bianchi, Fischer 2002).

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck {

struct BanditOptions {
  double exploration = 1.4142135623730951;  // c of the bonus c sqrt(ln N / n).
  bool cost_aware = false;  // Compare reward per cost instead of reward.
};

// Owned by one thread at a time. Rewards are expected in [0, 1].
class Bandit {
 public:
  explicit Bandit(std::size_t arms, BanditOptions options = {});

  // The arm with the highest index; arms never tried come first and the lowest
  // number wins a tie. REQUIRES: an arm is not retired.
  std::size_t choose() const;
  // `choose`, and counts the try as under way, so that the next call does not
  // send everybody to the same arm. Ends with `update` or `abandon`.
  std::size_t begin();

  // What a try gave and cost. REQUIRES: finite; cost > 0 when cost-aware.
  void update(std::size_t arm, double reward, double cost = 1.0);
  // A try that `begin` gave out came to nothing.
  void abandon(std::size_t arm);

  std::size_t add_arm();         // Returns its number.
  void retire(std::size_t arm);  // Never chosen again.

  std::size_t arm_count() const { return arms_.size(); }
  std::uint64_t tries(std::size_t arm) const { return at(arm).tries; }
  double mean_reward(std::size_t arm) const;  // 0 before the first try.
  double mean_cost(std::size_t arm) const;    // Likewise.
  bool is_retired(std::size_t arm) const { return at(arm).retired; }

  // For checkpoints; tries that are under way are not kept.
  Json to_json() const;
  static Result<Bandit> from_json(const Json& json, BanditOptions options = {});

 private:
  struct Arm {
    std::uint64_t tries = 0;
    std::uint64_t pending = 0;
    double reward = 0;  // Sums over all tries.
    double cost = 0;
    bool retired = false;
  };

  // Throws LogicError if there is no such arm.
  Arm& at(std::size_t arm);
  const Arm& at(std::size_t arm) const;
  double index(const Arm& arm, double log_total) const;

  BanditOptions options_;
  std::vector<Arm> arms_;
};

}  // namespace lamarck
