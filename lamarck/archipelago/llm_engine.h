// Makes new functions with a language model that is shown their parents.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/archipelago/llm_memory.h"
#include "lamarck/archipelago/llm_prompt.h"
#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/clock.h"
#include "lamarck/llm/chat_model.h"

namespace lamarck::archipelago {

class LlmExchange;

// Builds a skeleton from source text. The error message is sent to the model,
// which may then repair its answer.
// Thread safety: may be called from any thread.
using ReplyReader =
    std::function<Result<SkeletonPtr>(const std::string& source)>;

// Reads formulas that take exactly these inputs, in this order, and params.
ReplyReader formula_reply_reader(std::string name,
                                 std::vector<std::string> inputs);

struct LlmEngineOptions {
  PromptOptions prompt;
  std::int64_t max_tokens = 2048;  // Per answer.
  std::optional<double> temperature;
  // Limits one mutation including its repair. If unset, the model's own timeout
  // applies to each of the two calls.
  std::optional<std::chrono::milliseconds> timeout;
  // Sends the error back once if an answer cannot be used.
  bool repairs = true;
  LlmPatience patience;
};

// A child that is a formula starts with the constants of a parent that has as
// many or fewer. Prompts say which answers did not help lately. What a cycle
// teaches takes effect in the next one, so the result does not depend on the
// number of threads. The engine ends when its patience does.
// Thread safety: as for every MutationEngine.
class LlmEngine : public MutationEngine {
 public:
  // Children get `evaluator`. With a budget, tokens and money are reserved
  // before each call and settled after it, so that concurrent islands cannot
  // exceed it. The evolver counts the costs of origins and errors itself, so
  // `budget` must be a separate one with the same limits. `clock` and `budget`
  // must outlive the engine. REQUIRES: model, reader and evaluator are not
  // null.
  LlmEngine(std::shared_ptr<llm::ChatModel> model, ReplyReader reader,
            std::shared_ptr<const Evaluator> evaluator,
            LlmEngineOptions options, Clock& clock, Budget* budget = nullptr);

  std::string_view name() const override { return "llm"; }
  void learn(const MutationContext& context, const FunctionPtr& made,
             bool improved) override;
  void end_cycle(std::uint64_t cycle) override;
  void see_best(const FunctionPtr& best) override;
  void add_spent(const BudgetAmounts& before) override;
  std::optional<EngineEnding> ending() const override;
  Json state() const override;
  Result<void> restore(const Json& state) override;

 private:
  MutationResult make(const std::vector<FunctionPtr>& parents,
                      const MutationContext& context) override;
  // The function of one exchange; asks for one repair. Completes `origin`.
  Result<FunctionPtr> ask(LlmExchange& exchange,
                          const std::vector<FunctionPtr>& parents,
                          const std::vector<FunctionPtr>& shown,
                          const CancelToken& cancel, Origin& origin) const;
  Result<SkeletonPtr> read(const llm::ChatReply& reply,
                           const std::vector<FunctionPtr>& shown) const;
  // The texts that the reply may mean, the most likely first.
  Result<std::vector<std::string>> candidates(
      const std::string& reply, const std::vector<FunctionPtr>& shown) const;
  void note(std::size_t island, LlmTry one);

  std::shared_ptr<llm::ChatModel> model_;
  ReplyReader reader_;
  std::shared_ptr<const Evaluator> evaluator_;
  LlmEngineOptions options_;
  Clock& clock_;
  Budget* budget_;    // May be null.
  LlmMemory memory_;  // Changes only between cycles.

  std::mutex mutex_;
  // The tries of the current cycle by island; guarded by mutex_.
  std::map<std::size_t, LlmTry> tries_;
};

}  // namespace lamarck::archipelago
