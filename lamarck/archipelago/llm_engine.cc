#include "lamarck/archipelago/llm_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/archipelago/llm_exchange.h"
#include "lamarck/archipelago/llm_reply.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"

namespace lamarck::archipelago {
namespace {

// No repair is attempted with less time left than this.
constexpr std::chrono::milliseconds kMinRepairTime{500};

std::string as_text(const std::vector<llm::ChatMessage>& messages) {
  std::string text;
  for (const llm::ChatMessage& message : messages) {
    if (!text.empty()) text += "\n\n";
    text += message.text;
  }
  return text;
}

WantedFunction wanted_function(const std::string& name,
                               const std::vector<FunctionPtr>& shown) {
  const std::string& best = shown.back()->skeleton()->source();
  WantedFunction wanted{
      .name = name, .header = version_header(best, name, name), .versions = {}};
  for (const FunctionPtr& parent : shown) {
    wanted.versions.push_back(parent->skeleton()->source());
  }
  return wanted;
}

// Returns the constants of the best parent with exactly `count` constants, else
// of the best parent with fewer. Models keep the indices of params and append
// new ones, so the values still fit.
std::vector<double> inherited_constants(
    std::size_t count, const std::vector<FunctionPtr>& parents) {
  std::vector<double> fewer;
  for (auto fn = parents.rbegin(); fn != parents.rend(); ++fn) {
    std::vector<double> constants = constants_of(**fn);
    if (constants.size() == count) return constants;
    if (fewer.empty() && constants.size() < count) fewer = std::move(constants);
  }
  return fewer;
}

SkeletonPtr with_inherited_constants(const SkeletonPtr& child,
                                     const std::vector<FunctionPtr>& parents) {
  const auto* formula = dynamic_cast<const FormulaSkeleton*>(child.get());
  if (formula == nullptr) return child;
  const std::size_t count = formula->formula().body.param_count();
  return std::make_shared<FormulaSkeleton>(formula->formula(),
                                           inherited_constants(count, parents),
                                           formula->source());
}

// A copy would waste an evaluation and teach nothing.
bool repeats(const Skeleton& child, const std::vector<FunctionPtr>& parents) {
  return std::ranges::any_of(parents, [&](const FunctionPtr& parent) {
    return parent->skeleton()->hash() == child.hash();
  });
}

Error unreadable(const llm::ChatReply& reply, const std::string& why) {
  const bool is_cut = reply.finish == llm::FinishReason::Length;
  return {ErrorCode::Unavailable,
          fmt::format("The model's answer contains no usable function{}: {}",
                      is_cut ? " and was cut off at max_tokens" : "", why)};
}

std::string arguments_text(std::vector<std::string> inputs) {
  inputs.emplace_back("params");
  return join_text(inputs, ", ");
}

}  // namespace

ReplyReader formula_reply_reader(std::string name,
                                 std::vector<std::string> inputs) {
  return [name = std::move(name), inputs = std::move(inputs)](
             const std::string& source) -> Result<SkeletonPtr> {
    ASSIGN_OR_RETURN(formula::Formula formula,
                     formula::parse_python(source, name));
    if (formula.inputs != inputs) {
      return Error(ErrorCode::InvalidArgument,
                   fmt::format("The function {} must take the arguments ({}), "
                               "got ({}).",
                               name, arguments_text(inputs),
                               arguments_text(formula.inputs)));
    }
    formula.name = name;
    return std::make_shared<FormulaSkeleton>(std::move(formula),
                                             std::vector<double>(), source);
  };
}

LlmEngine::LlmEngine(std::shared_ptr<llm::ChatModel> model, ReplyReader reader,
                     std::shared_ptr<const Evaluator> evaluator,
                     LlmEngineOptions options, Clock& clock, Budget* budget)
    : model_(std::move(model)),
      reader_(std::move(reader)),
      evaluator_(std::move(evaluator)),
      options_(std::move(options)),
      clock_(clock),
      budget_(budget) {
  REQUIRE(model_ && reader_ && evaluator_,
          "LlmEngine: model, reader and evaluator must not be null.");
}

Result<SkeletonPtr> LlmEngine::read(
    const llm::ChatReply& reply, const std::vector<FunctionPtr>& shown) const {
  const auto candidates = function_candidates(
      reply.text, wanted_function(options_.prompt.name, shown));
  // The first candidate is the most likely one, so its error helps the most.
  std::optional<Error> first;
  for (const std::string& candidate : candidates) {
    auto skeleton = reader_(candidate);
    if (skeleton) return skeleton;
    if (!first) first = skeleton.error();
  }
  return unreadable(
      reply, first ? first->message()
                   : fmt::format("it contains no code; write 'def {}(...):'.",
                                 options_.prompt.name));
}

MutationResult LlmEngine::make(const std::vector<FunctionPtr>& parents,
                               const MutationContext& context) {
  const auto shown = shown_parents(options_.prompt, parents);
  Rng rng = context.rng;
  constexpr std::uint64_t kSeeds = 1U << 31U;  // Fits a signed 32-bit integer.
  LlmExchange exchange(*model_, clock_, budget_,
                       {.messages = mutation_prompt(options_.prompt, shown),
                        .max_tokens = options_.max_tokens,
                        .temperature = options_.temperature,
                        .seed = static_cast<std::int64_t>(rng.below(kSeeds)),
                        .stop = {},
                        .timeout = options_.timeout});
  // The tokens are spent even if the answer is useless.
  Result<FunctionPtr> made = ask(exchange, parents, shown, context.cancel);
  return {std::move(made), exchange.cost()};
}

Result<FunctionPtr> LlmEngine::ask(LlmExchange& exchange,
                                   const std::vector<FunctionPtr>& parents,
                                   const std::vector<FunctionPtr>& shown,
                                   const CancelToken& cancel) const {
  Origin origin{.engine = std::string(name()),
                .move = "ask",
                .parents = {},
                .prompt = as_text(exchange.messages())};
  ASSIGN_OR_RETURN(llm::ChatReply reply, exchange.ask(cancel));
  auto child = read(reply, shown);
  if (!child && options_.repairs &&
      exchange.time_left().value_or(kMinRepairTime) >= kMinRepairTime) {
    exchange.say(repair_prompt(options_.prompt, child.error().message()));
    ASSIGN_OR_RETURN(reply, exchange.ask(cancel));
    child = read(reply, shown);
    origin.move = "repair";
  }
  if (!child) return child.error();
  if (repeats(**child, parents)) {
    return Error(ErrorCode::AlreadyExists, "The model repeated a parent.");
  }
  origin.reply = std::move(reply.text);
  origin.cost = exchange.cost();
  return std::make_shared<Function>(0,
                                    with_inherited_constants(*child, parents),
                                    evaluator_, std::move(origin));
}

}  // namespace lamarck::archipelago
