// The interface of engines that make a new function from parent functions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lamarck/archipelago/function.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/profiler.h"
#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"

namespace lamarck::crew {
class Crew;
}  // namespace lamarck::crew

namespace lamarck::archipelago {

struct MutationStarted {
  static constexpr std::string_view type = "on_mutate";
  std::vector<FunctionPtr> payload;
};
struct MutationEnded {
  static constexpr std::string_view type = "on_mutated";
  std::pair<std::vector<FunctionPtr>, FunctionPtr> payload;
};
using MutationEngineEvent = std::variant<MutationStarted, MutationEnded>;

// A function or an error, and what it cost in either case.
class MutationResult : public Result<FunctionPtr> {
 public:
  using Result::Result;
  // `attempt` says how the mutation went about it, in case it failed.
  MutationResult(Result result, Origin attempt = {})
      : Result(std::move(result)), attempt_(std::move(attempt)) {}
  MutationResult(Result result, const MutationCost& cost_of_failure)
      : Result(std::move(result)) {
    attempt_.cost = cost_of_failure;
  }

  // The function's origin, or that of the failed attempt.
  const Origin& origin() const {
    return has_value() ? value()->origin() : attempt_;
  }
  const MutationCost& cost() const { return origin().cost; }

 private:
  Origin attempt_;
};

// Identifies a mutation. The result of an engine must depend only on the
// parents, on this context and on its state for the island, never on threads.
struct MutationContext {
  std::size_t island = 0;
  std::uint64_t cycle = 0;
  Rng rng;  // For this call only.
  CancelToken cancel;
  // For `learn`: the run knew the function already and did not evaluate it.
  bool is_known = false;
};

// Why an engine makes no more functions.
struct EngineEnding {
  enum class Kind : std::uint8_t {
    Goal,        // Nothing is left to improve.
    NothingNew,  // It repeats itself.
    NoAnswer,    // What it depends on, such as a model, does not answer.
    Budget,      // Its budget is used up.
  };
  Kind kind = Kind::NothingNew;
  std::string reason;  // A complete sentence.
};

// Thread safety: `mutate` is called from several threads, for different
// islands; all other members are called between cycles.
class MutationEngine {
 public:
  virtual ~MutationEngine() = default;

  virtual std::string_view name() const = 0;

  // `parents` are ordered from worst to best. The new function need not be
  // evaluated; its origin has its cost. An error counts as a failed mutation.
  // REQUIRES: `parents` is not empty.
  MutationResult mutate(const std::vector<FunctionPtr>& parents,
                        const MutationContext& context);

  // If a crew shares out the mutations: called before those of a cycle, with
  // the parents and contexts that `mutate` will get, in the order of the
  // islands. Lets the crew do the long part of them. Fails with Cancelled if
  // the contexts are cancelled meanwhile.
  virtual Result<void> prepare(
      crew::Crew& /*crew*/,
      const std::vector<std::vector<FunctionPtr>>& /*parents*/,
      const std::vector<MutationContext>& /*contexts*/) {
    return {};
  }

  // Called between cycles, when no island is mutating. Engines that share state
  // between islands update it here.
  virtual void end_cycle(std::uint64_t /*cycle*/) {}
  // Called after the island was emptied and restarted from `founder`.
  virtual void reset_island(std::size_t /*island*/,
                            const FunctionPtr& /*founder*/) {}
  // Called after a function of this engine was evaluated and recorded.
  // `improved` is whether it became the best of its island.
  virtual void learn(const MutationContext& /*context*/,
                     const FunctionPtr& /*made*/, bool /*improved*/) {}

  // Called before the first cycle and after each one, before `end_cycle`, with
  // the best function of the run.
  virtual void see_best(const FunctionPtr& /*best*/) {}
  // Called once if the run is resumed, with the tokens and money that it has
  // spent before.
  virtual void add_spent(const BudgetAmounts& /*before*/) {}
  // nullopt while the engine can make functions. Changes only between cycles.
  virtual std::optional<EngineEnding> ending() const { return std::nullopt; }
  // Sentences about the run for the user, such as why a part of it ended.
  virtual std::vector<std::string> notes() const { return {}; }

  // Everything that a resumed run needs to continue as if uninterrupted.
  virtual Json state() const;
  virtual Result<void> restore(const Json& state);

  Remover use_profiler(Profiler<MutationEngineEvent>::Function function);

 private:
  virtual MutationResult make(const std::vector<FunctionPtr>& parents,
                              const MutationContext& context) = 0;

  Profiler<MutationEngineEvent> profiler_;
};

}  // namespace lamarck::archipelago
