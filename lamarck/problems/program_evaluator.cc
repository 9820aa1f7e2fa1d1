#include "lamarck/problems/program_evaluator.h"

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::problems {
namespace {

using archipelago::Evaluation;

// Gives a reason such as "raised NameError: x" its subject.
std::string with_subject(const std::string& reason) {
  if (reason.starts_with("raised ")) return "it " + reason;
  if (reason.starts_with("returned ")) return "evaluate.py " + reason;
  if (reason.starts_with("timed out") || reason.starts_with("used more")) {
    return "it " + reason +
           "; increase --time-limit, --memory-limit or the "
           "limits in problem.toml";
  }
  return reason;
}

// Joins the reason, which may be a clause or a sentence, to one sentence.
Error within_folder(const ProgramRunner& runner, const std::string& reason) {
  return Error(
      ErrorCode::InvalidArgument,
      fmt::format("The program of {} cannot be evaluated: {}.",
                  runner.folder().path.string(),
                  with_subject(reason.ends_with('.')
                                   ? reason.substr(0, reason.size() - 1)
                                   : reason)));
}

}  // namespace

ProgramEvaluator::ProgramEvaluator(std::shared_ptr<const ProgramRunner> runner,
                                   const ProgramEvaluatorOptions& options)
    : runner_(std::move(runner)), options_(options) {}

Result<std::shared_ptr<const ProgramEvaluator>> ProgramEvaluator::open(
    std::shared_ptr<const ProgramRunner> runner,
    const ProgramEvaluatorOptions& options, const CancelToken& cancel) {
  std::shared_ptr<ProgramEvaluator> made(
      new ProgramEvaluator(std::move(runner), options));
  const auto in_folder = [&](const Error& error) {
    return error.code() == ErrorCode::InvalidArgument
               ? within_folder(*made->runner_, error.message())
               : error;
  };
  ASSIGN_OR_RETURN(auto names,
                   made->runner_->inputs(cancel).transform_error(in_folder));
  if (names) {
    made->names_ = *std::move(names);
    made->input_count_ = made->names_.size();
  }
  made->first_ =
      made->evaluate_source(made->runner_->folder().program.evolved, cancel);
  RETURN_IF_ERROR(cancel.check());
  if (made->first_.failure) {
    return within_folder(*made->runner_, *made->first_.failure);
  }
  made->input_count_ = made->first_.scores.size();
  if (made->input_count_ == 0) {
    return within_folder(*made->runner_,
                         "evaluate.py must return at least one "
                         "score");
  }
  return std::shared_ptr<const ProgramEvaluator>(std::move(made));
}

Evaluation ProgramEvaluator::evaluate(const archipelago::Skeleton& skeleton,
                                      const CancelToken& cancel) const {
  // Evaluations may take minutes, so that of the first program is reused.
  if (skeleton.source() == runner_->folder().program.evolved) return first_;
  return evaluate_source(skeleton.source(), cancel);
}

std::optional<double> ProgramEvaluator::floor_of(
    const std::string& input) const {
  const auto own = options_.cascade_floors.find(input);
  return own == options_.cascade_floors.end() ? options_.cascade_floor
                                              : std::optional(own->second);
}

Evaluation ProgramEvaluator::evaluate_source(const std::string& source,
                                             const CancelToken& cancel) const {
  if (names_.empty()) return evaluate_at_once(source, cancel);
  Evaluation evaluation;
  for (const std::string& name : names_) {
    const auto scores = runner_->scores(source, name, cancel);
    if (!scores) {
      return Evaluation::failed(scores.error().message() + ", on input " +
                                in_quotes(name));
    }
    const double score = scores->front();
    const auto floor = floor_of(name);
    if (floor && score < *floor) {
      return Evaluation::failed(
          fmt::format("scored {} on input {}, below the cascade floor of {}",
                      score, in_quotes(name), *floor));
    }
    evaluation.scores.push_back(score);
  }
  return evaluation;
}

Evaluation ProgramEvaluator::evaluate_at_once(const std::string& source,
                                              const CancelToken& cancel) const {
  auto scores = runner_->scores(source, std::nullopt, cancel);
  if (!scores) return Evaluation::failed(scores.error().message());
  if (input_count_ != 0 && scores->size() != input_count_) {
    return Evaluation::failed(fmt::format("must return {} scores, got {}",
                                          input_count_, scores->size()));
  }
  return {.scores = *std::move(scores), .failure = {}, .constants = {}};
}

}  // namespace lamarck::problems
