// Combines several engines. A bandit chooses the engine of each mutation by its
// reward per cost, with some exploration of the others.

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

// Weights that convert the cost of a mutation to one number. Time is left out,
// because it would make runs irreproducible.
struct MixCosts {
  double mutation = 1;  // Fixed cost per mutation; > 0.
  double evaluation = 0.01;
  double token = 0.01;
  double money_micro = 0.001;
};

struct MixOptions {
  MixCosts costs;
  double exploration = 0.5;  // Exploration weight of the bandit.
  std::size_t recent = 200;  // How many past scores a new one is compared to.
};

// The reward of a mutation is 1 if it improved its island, and otherwise up to
// 1/4, in proportion to the share of recent functions that score worse. Failed
// mutations get 0. An engine that has ended (its key is refused, its budget is
// used up, it learns nothing new) is retired, unless it is the last one.
//
// Rewards of a cycle take effect in the next one, so the result does not depend
// on the number of threads.
class MixEngine : public MutationEngine {
 public:
  // REQUIRES: `engines` is not empty and has no null pointers.
  explicit MixEngine(std::vector<std::shared_ptr<MutationEngine>> engines,
                     MixOptions options = {});

  std::string_view name() const override { return "mix"; }
  const Bandit& bandit() const { return bandit_; }

  void end_cycle(std::uint64_t cycle) override;
  void see_best(const FunctionPtr& best) override;
  void add_spent(const BudgetAmounts& before) override;
  // That of the last engine, once all have ended.
  std::optional<EngineEnding> ending() const override;
  // Why engines have ended.
  std::vector<std::string> notes() const override;
  void reset_island(std::size_t island, const FunctionPtr& founder) override;
  void learn(const MutationContext& context, const FunctionPtr& made,
             bool improved) override;
  Json state() const override;
  Result<void> restore(const Json& state) override;

 private:
  // One mutation of the current cycle.
  struct Try {
    std::size_t arm = 0;
    double cost = 0;
    bool has_final_error = false;  // The engine can never work again.
    bool is_improved = false;
    FunctionPtr made;  // Null if the mutation returned an error.
  };

  MutationResult make(const std::vector<FunctionPtr>& parents,
                      const MutationContext& context) override;
  std::size_t choose_arm(std::size_t island) const;
  double reward(const Try& done) const;
  void remember(const Try& done);
  void retire(std::size_t arm);
  void retire_ended();

  std::vector<std::shared_ptr<MutationEngine>> engines_;
  MixOptions options_;
  // Change only between cycles.
  Bandit bandit_;
  std::deque<double> recent_;

  std::mutex mutex_;
  std::map<std::size_t, Try> tries_;  // Keyed by island; guarded by mutex_.
};

}  // namespace lamarck::archipelago
