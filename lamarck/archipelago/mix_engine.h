// Several engines as one: each mutation is made by the one that has given most
// for its cost, with some chance for the others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/base/bandit.h"

namespace lamarck::archipelago {

// What a mutation costs, in one unit. Seconds are not among it: they are not
// the same in every run.
struct MixCosts {
  double mutation = 1;  // Of any; > 0.
  double evaluation = 0.01;
  double token = 0.01;
  double money_micro = 0.001;
};

struct MixOptions {
  MixCosts costs;
  double exploration = 0.5;  // Of the bandit.
  std::size_t recent = 200;  // Scores that a new one is compared with.
};

// A mutation is worth 1 if it improved its island, else up to 1/4, by the share
// of recent functions that are worse; one that failed or was known before is
// worth 0. An engine that can never work again (its key is refused, its budget
// used up) is left out, unless it is the last.
//
// What is learned in a cycle counts from the next one on, so the number of
// threads changes nothing.
class MixEngine : public MutationEngine {
 public:
  // REQUIRES: not empty, none null.
  explicit MixEngine(std::vector<std::shared_ptr<MutationEngine>> engines,
                     MixOptions options = {});

  std::string_view name() const override { return "mix"; }
  const Bandit& bandit() const { return bandit_; }

  void end_cycle(std::uint64_t cycle) override;
  void reset_island(std::size_t island, const FunctionPtr& founder) override;
  void learn(const MutationContext& context, const FunctionPtr& made,
             bool improved) override;
  Json state() const override;
  Result<void> restore(const Json& state) override;

 private:
  // One mutation of this cycle.
  struct Try {
    std::size_t arm = 0;
    double cost = 0;
    bool is_hopeless = false;  // The engine can never work again.
    bool is_improved = false;
    FunctionPtr made;  // Null if there was none, or none that is new.
  };

  Result<FunctionPtr> make(const std::vector<FunctionPtr>& parents,
                           const MutationContext& context) override;
  std::size_t arm_for(std::size_t island) const;
  double reward(const Try& done) const;
  void remember(const Try& done);
  void perhaps_retire(const Try& done);

  std::vector<std::shared_ptr<MutationEngine>> engines_;
  MixOptions options_;
  // Change only between cycles.
  Bandit bandit_;
  std::deque<double> recent_;

  std::mutex mutex_;
  std::map<std::size_t, Try> tries_;  // By island; guarded by mutex_.
};

}  // namespace lamarck::archipelago
