#include "lamarck/archipelago/function.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <limits>

#include "lamarck/base/ensure.h"

namespace lamarck::archipelago {
namespace {

std::optional<std::string> find_fault(const std::vector<double>& scores) {
  if (scores.empty()) return "the evaluator returned no scores";
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isfinite(scores[i])) continue;
    return fmt::format("score {} of {} is {}, not a finite number", i + 1,
                       scores.size(), scores[i]);
  }
  return std::nullopt;
}

// Divides before adding, so that large scores do not overflow.
double mean(const std::vector<double>& scores) {
  const auto count = static_cast<double>(scores.size());
  double sum = 0;
  for (const double score : scores) sum += score / count;
  return sum;
}

// Evaluators are code of the caller: an exception fails one function, not the
// run.
Evaluation guarded_evaluation(const Evaluator& evaluator,
                              const Skeleton& skeleton,
                              const CancelToken& cancel) {
  try {
    Evaluation evaluation = evaluator.evaluate(skeleton, cancel);
    const std::size_t got = evaluation.scores.size();
    if (evaluation.failure || got == evaluator.input_count()) return evaluation;
    return Evaluation::failed(fmt::format(
        "the evaluator must return {} scores, one per input, got {}",
        evaluator.input_count(), got));
  } catch (const std::exception& failure) {
    return Evaluation::failed(
        fmt::format("the evaluator threw: {}", failure.what()));
  } catch (...) {
    return Evaluation::failed("the evaluator threw an unknown exception");
  }
}

}  // namespace

Signature make_signature(std::span<const double> scores, int digits) {
  REQUIRE(digits > 0, "make_signature: digits must be at least 1, got {}.",
          digits);
  Signature signature;
  for (const double score : scores) {
    if (!signature.empty()) signature += ' ';
    // Adding 0 turns -0 into 0, which would print differently.
    signature += fmt::format("{:.{}e}", score + 0.0, digits - 1);
  }
  return signature;
}

Function::Function(std::uint64_t id, SkeletonPtr skeleton,
                   std::shared_ptr<const Evaluator> evaluator, Origin origin)
    : id_(id),
      skeleton_(std::move(skeleton)),
      evaluator_(std::move(evaluator)),
      origin_(std::move(origin)) {
  REQUIRE(skeleton_ != nullptr,
          "Function: the skeleton must not be null; pass one.");
}

void Function::complete_origin(std::string_view engine,
                               std::vector<std::uint64_t> parents) {
  if (origin_.engine.empty()) origin_.engine = engine;
  if (origin_.parents.empty()) origin_.parents = std::move(parents);
}

const Evaluation& Function::evaluate(const CancelToken& cancel) {
  REQUIRE(!is_evaluated(),
          "Function::evaluate: must not be called twice; clone() the function "
          "with a new skeleton instead.");
  REQUIRE(evaluator_ != nullptr,
          "Function::evaluate: there is no evaluator; pass one to the "
          "constructor.");
  const std::size_t inputs = evaluator_->input_count();
  profiler_.send(EvaluationStarted{inputs});
  accept(guarded_evaluation(*evaluator_, *skeleton_, cancel));
  profiler_.send(EvaluationEnded{{inputs, *evaluation_}});
  return *evaluation_;
}

void Function::accept(Evaluation evaluation) {
  REQUIRE(!is_evaluated(),
          "Function::accept: must not be called after an evaluation.");
  if (!evaluation.failure) evaluation.failure = find_fault(evaluation.scores);
  if (evaluation.failure) {
    evaluation.scores.clear();
    score_ = -std::numeric_limits<double>::infinity();
  } else {
    score_ = mean(evaluation.scores);
    signature_ = make_signature(evaluation.scores);
  }
  evaluation_ = std::move(evaluation);
}

const Evaluation& Function::evaluation() const {
  REQUIRE(is_evaluated(),
          "Function::evaluation: call evaluate() or accept() first.");
  return *evaluation_;
}

const Signature& Function::signature() const {
  REQUIRE(is_evaluated(),
          "Function::signature: call evaluate() or accept() first.");
  return signature_;
}

FunctionScore Function::score() const {
  REQUIRE(is_evaluated(),
          "Function::score: call evaluate() or accept() first.");
  return score_;
}

std::shared_ptr<Function> Function::clone(
    const SkeletonPtr& new_skeleton) const {
  const bool is_same = new_skeleton == nullptr;
  auto copy = std::make_shared<Function>(
      id_, is_same ? skeleton_ : new_skeleton, evaluator_, origin_);
  copy->profiler_ = profiler_;
  if (!is_same) {
    copy->id_ = 0;
  } else if (evaluation_) {
    copy->accept(*evaluation_);
  }
  return copy;
}

Remover Function::use_profiler(Profiler<FunctionEvent>::Function function) {
  return profiler_.use_profiler(std::move(function));
}

std::vector<double> constants_of(const Function& function) {
  if (function.is_evaluated() && !function.evaluation().constants.empty()) {
    return function.evaluation().constants;
  }
  const auto constants = function.skeleton()->constants();
  return {constants.begin(), constants.end()};
}

}  // namespace lamarck::archipelago
