// Several functions in, a new one out.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lamarck/archipelago/function.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/profiler.h"
#include "lamarck/base/result.h"
#include "lamarck/base/rng.h"

namespace lamarck::archipelago {

struct OnMutate {
  static constexpr std::string_view type = "on_mutate";
  std::vector<FunctionPtr> payload;
};
struct OnMutated {
  static constexpr std::string_view type = "on_mutated";
  std::pair<std::vector<FunctionPtr>, FunctionPtr> payload;
};
using MutationEngineEvent = std::variant<OnMutate, OnMutated>;

// Who asks, and with which chance. What an engine gives depends on the parents,
// on this and on what it gave the same island before, never on other threads.
struct MutationContext {
  std::size_t island = 0;
  std::uint64_t cycle = 0;
  Rng rng;  // Of this call alone.
  CancelToken cancel;
};

// Thread safety: `mutate` from several threads, for different islands; all
// other members between cycles.
class MutationEngine {
 public:
  virtual ~MutationEngine() = default;

  virtual std::string_view name() const = 0;

  // Parents come from worst to best and are not empty. The function is not
  // evaluated yet; its origin tells what it took. An error counts as a failed
  // mutation and costs what its fields say ("tokens_in", "tokens_out",
  // "money_micros", "evaluations").
  Result<FunctionPtr> mutate(const std::vector<FunctionPtr>& parents,
                             const MutationContext& context);

  // Called between cycles, when all islands stand still: engines that share
  // something between islands do so here.
  virtual void end_cycle(std::uint64_t /*cycle*/) {}
  // The island was emptied and begins again from `founder`.
  virtual void reset_island(std::size_t /*island*/,
                            const FunctionPtr& /*founder*/) {}
  // Tells what became of a function that it made: evaluated and stored.
  virtual void learn(const MutationContext& /*context*/,
                     const FunctionPtr& /*made*/, bool /*improved*/) {}

  // Everything that a resumed run needs to go on as if nothing had happened.
  virtual Json state() const;
  virtual Result<void> restore(const Json& state);

  Remover use_profiler(Profiler<MutationEngineEvent>::Function function);

 private:
  virtual Result<FunctionPtr> make(const std::vector<FunctionPtr>& parents,
                                   const MutationContext& context) = 0;

  Profiler<MutationEngineEvent> profiler_;
};

}  // namespace lamarck::archipelago
