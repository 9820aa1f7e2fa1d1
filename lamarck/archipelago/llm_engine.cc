#include "lamarck/archipelago/llm_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/archipelago/internal/evolver_ending.h"
#include "lamarck/archipelago/llm_code_blocks.h"
#include "lamarck/archipelago/llm_edits.h"
#include "lamarck/archipelago/llm_exchange.h"
#include "lamarck/archipelago/llm_reply.h"
#include "lamarck/archipelago/llm_source.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"

namespace lamarck::archipelago {
namespace {

// No repair is attempted with less time left than this.
constexpr std::chrono::milliseconds kMinRepairTime{500};

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

// How a failed exchange counts. Errors of the server and of the budget keep the
// code that the model gave them.
LlmTry failed_try(const Error& error, const Origin& origin) {
  LlmTry one{.text = error.message()};
  if (error.code() == ErrorCode::AlreadyExists) {
    one.kind = LlmTry::Kind::Repeated;
  } else if (error.code() == ErrorCode::BudgetExceeded) {
    one.kind = LlmTry::Kind::Refused;
  } else if (!origin.reply.empty() || !origin.draft.empty()) {
    one.kind = LlmTry::Kind::Unreadable;
  } else {
    one.kind = LlmTry::Kind::NoAnswer;
    one.is_final = is_final(error);
  }
  return one;
}

// Formulas are short enough to be shown in full.
std::string formula_text(const Skeleton& skeleton) {
  const auto* formula = dynamic_cast<const FormulaSkeleton*>(&skeleton);
  return formula == nullptr ? "" : formula::to_infix(formula->formula());
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
      budget_(budget),
      memory_(options_.patience) {
  REQUIRE(model_ && reader_ && evaluator_,
          "LlmEngine: model, reader and evaluator must not be null.");
}

Result<std::vector<std::string>> LlmEngine::candidates(
    const std::string& reply, const std::vector<FunctionPtr>& shown) const {
  const PromptOptions& prompt = options_.prompt;
  const std::string text = clean_reply(reply);
  const std::vector<SourceEdit> edits = find_edits(text);
  const bool is_edited = asks_for_edits(prompt, *shown.back());
  const std::string& best = shown.back()->skeleton()->source();
  if (!edits.empty()) {
    // The edits refer to the text that the model saw.
    const std::string name = versioned_name(prompt.name, shown.size() - 1);
    ASSIGN_OR_RETURN(
        const std::string edited,
        apply_edits(is_edited ? best : with_renamed(best, prompt.name, name),
                    edits));
    return std::vector{with_renamed(edited, name, prompt.name)};
  }
  auto found = function_candidates(reply, wanted_function(prompt.name, shown));
  if (!is_edited) return found;
  std::string code;
  for (const std::string& block : fenced_blocks(text)) code += block + "\n";
  found.insert(found.begin(), merged_source(best, dedented(code)));
  return found;
}

Result<SkeletonPtr> LlmEngine::read(
    const llm::ChatReply& reply, const std::vector<FunctionPtr>& shown) const {
  const auto found = candidates(reply.text, shown);
  if (!found) return unreadable(reply, found.error().message());
  // The first candidate is the most likely one, so its error helps the most.
  std::optional<Error> first;
  for (const std::string& candidate : *found) {
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
  LlmExchange exchange(
      *model_, clock_, budget_,
      {.messages = mutation_prompt(options_.prompt, shown, memory_.lessons()),
       .max_tokens = options_.max_tokens,
       .temperature = options_.temperature,
       .seed = static_cast<std::int64_t>(rng.below(kSeeds)),
       .stop = {},
       .timeout = options_.timeout});
  Origin origin{.engine = std::string(name()),
                .move = "ask",
                .parents = {},
                .system = exchange.messages().front().text,
                .prompt = exchange.messages().back().text};
  Result<FunctionPtr> made =
      ask(exchange, parents, shown, context.cancel, origin);
  // The tokens are spent even if the answer is useless.
  origin.cost = exchange.cost();
  if (made) return made;
  const bool is_cancelled = made.error().code() == ErrorCode::Cancelled;
  if (!is_cancelled) note(context.island, failed_try(made.error(), origin));
  return {std::move(made), std::move(origin)};
}

Result<FunctionPtr> LlmEngine::ask(LlmExchange& exchange,
                                   const std::vector<FunctionPtr>& parents,
                                   const std::vector<FunctionPtr>& shown,
                                   const CancelToken& cancel,
                                   Origin& origin) const {
  ASSIGN_OR_RETURN(llm::ChatReply reply, exchange.ask(cancel));
  origin.reply = reply.text;
  auto child = read(reply, shown);
  if (!child && options_.repairs &&
      exchange.time_left().value_or(kMinRepairTime) >= kMinRepairTime) {
    exchange.say(repair_prompt(options_.prompt, child.error().message()));
    origin.move = "repair";
    origin.draft = std::exchange(origin.reply, "");
    origin.correction = exchange.messages().back().text;
    ASSIGN_OR_RETURN(reply, exchange.ask(cancel));
    origin.reply = reply.text;
    child = read(reply, shown);
  }
  if (!child) return child.error();
  if (repeats(**child, parents)) {
    return Error(ErrorCode::AlreadyExists, "The model repeated a parent.");
  }
  origin.cost = exchange.cost();
  return std::make_shared<Function>(
      0, with_inherited_constants(*child, parents), evaluator_, origin);
}

void LlmEngine::note(std::size_t island, LlmTry one) {
  const std::lock_guard lock(mutex_);
  tries_[island] = std::move(one);
}

void LlmEngine::learn(const MutationContext& context, const FunctionPtr& made,
                      bool improved) {
  const auto& failure = made->evaluation().failure;
  if (context.is_known) {
    note(context.island, {.kind = LlmTry::Kind::Repeated});
  } else if (failure) {
    note(context.island, {.kind = LlmTry::Kind::Failed, .text = *failure});
  } else {
    note(context.island, {.kind = LlmTry::Kind::New,
                          .text = formula_text(*made->skeleton()),
                          .score = made->score(),
                          .improved = improved});
  }
}

void LlmEngine::end_cycle(std::uint64_t /*cycle*/) {
  std::vector<LlmTry> tries;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [island, one] : tries_) tries.push_back(std::move(one));
    tries_.clear();
  }
  memory_.add(tries);
}

void LlmEngine::see_best(const FunctionPtr& best) {
  memory_.see_best(best->score());
}

void LlmEngine::add_spent(const BudgetAmounts& before) {
  if (budget_ == nullptr) return;
  // An empty reservation is always possible; settling counts in full.
  auto nothing = budget_->reserve({});
  if (!nothing) return;  // The budget has ended already.
  nothing->settle(
      {.tokens = before.tokens, .money_micros = before.money_micros});
}

std::optional<EngineEnding> LlmEngine::ending() const {
  return memory_.ending();
}

Json LlmEngine::state() const { return memory_.state(); }

Result<void> LlmEngine::restore(const Json& state) {
  if (state.is_null()) return {};  // Of a run that had no memory.
  return memory_.restore(state);
}

}  // namespace lamarck::archipelago
