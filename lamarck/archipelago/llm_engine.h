// New functions from a language model that sees the old ones.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/archipelago/llm_prompt.h"
#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/clock.h"
#include "lamarck/llm/chat_model.h"

namespace lamarck::archipelago {

// A skeleton from source text. The error's message is told to the model.
// Thread safety: may be called from any thread.
using ReplyReader =
    std::function<Result<SkeletonPtr>(const std::string& source)>;

// Reads formulas that take exactly these inputs, in this order.
ReplyReader formula_reply_reader(std::string name,
                                 std::vector<std::string> inputs);

struct LlmEngineOptions {
  PromptOptions prompt;
  std::int64_t max_tokens = 2048;  // Of one answer.
  std::optional<double> temperature;
  // Of one mutation, with its repair and everything; else as the model is set,
  // for each of the two.
  std::optional<std::chrono::milliseconds> timeout;
  bool repairs = true;  // Sends the fault of an answer back, once.
};

// Children of formulas begin with their parents' constants where these fit.
// Thread safety: as every engine.
class LlmEngine : public MutationEngine {
 public:
  // Children get `evaluator`. With a budget, tokens and money are set aside
  // before each call and settled after it, so that no number of islands
  // oversteps it. An evolver counts the costs of origins and errors itself, so
  // this budget is not the evolver's but one of the same limits. `clock` and
  // `budget` outlive the engine. REQUIRES: model, reader and evaluator.
  LlmEngine(std::shared_ptr<llm::ChatModel> model, ReplyReader reader,
            std::shared_ptr<const Evaluator> evaluator,
            LlmEngineOptions options, Clock& clock, Budget* budget = nullptr);

  std::string_view name() const override { return "llm"; }

 private:
  Result<FunctionPtr> make(const std::vector<FunctionPtr>& parents,
                           const MutationContext& context) override;
  Result<SkeletonPtr> read(const llm::ChatReply& reply,
                           const std::vector<FunctionPtr>& shown) const;

  std::shared_ptr<llm::ChatModel> model_;
  ReplyReader reader_;
  std::shared_ptr<const Evaluator> evaluator_;
  LlmEngineOptions options_;
  Clock& clock_;
  Budget* budget_;  // May be null.
};

}  // namespace lamarck::archipelago
