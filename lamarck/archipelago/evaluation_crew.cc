#include "lamarck/archipelago/evaluation_crew.h"

#include <chrono>
#include <utility>

#include "lamarck/base/clock.h"
#include "lamarck/base/error.h"
#include "lamarck/base/macros.h"
#include "lamarck/crew/byte_stream.h"

namespace lamarck::archipelago {
namespace {

using crew::ByteReader;
using crew::ByteWriter;

void add_numbers(ByteWriter& out, std::span<const double> numbers) {
  out.add_count(numbers.size());
  for (const double number : numbers) out.add_number(number);
}

std::vector<double> read_numbers(ByteReader& in) {
  std::vector<double> numbers(in.length());
  for (double& number : numbers) number = in.number();
  return numbers;
}

void add_evaluation(ByteWriter& out, const Evaluation& evaluation) {
  out.add_flag(evaluation.failure.has_value());
  out.add_text(evaluation.failure.value_or(""));
  add_numbers(out, evaluation.scores);
  add_numbers(out, evaluation.constants);
}

Evaluation read_evaluation(ByteReader& in) {
  Evaluation evaluation;
  const bool has_failed = in.flag();
  std::string failure = in.text();
  if (has_failed) evaluation.failure = std::move(failure);
  evaluation.scores = read_numbers(in);
  evaluation.constants = read_numbers(in);
  return evaluation;
}

}  // namespace

EvaluationCrew::EvaluationCrew(crew::Crew& crew, SkeletonReader reader,
                               std::shared_ptr<const Evaluator> evaluator)
    : crew_(crew),
      reader_(std::move(reader)),
      evaluator_(std::move(evaluator)),
      work_([this](std::size_t, std::string_view input) {
        return evaluate_piece(input);
      }) {}

std::string EvaluationCrew::evaluate_piece(std::string_view input) const {
  SystemClock clock;
  const auto begin = clock.elapsed();
  ByteReader in(input);
  const std::string source = in.text();
  const std::vector<double> constants = read_numbers(in);
  if (const auto good = in.check("A function"); !good) {
    throw LogicError(good.error());
  }
  const auto skeleton = reader_(source, constants);
  if (!skeleton) throw LogicError(skeleton.error());
  // Evaluates by way of a Function, which turns exceptions into failures.
  Function fn(0, *skeleton, evaluator_, Origin{});
  ByteWriter out;
  add_evaluation(out, fn.evaluate(crew_.abandonment()));
  const std::chrono::duration<double> taken = clock.elapsed() - begin;
  out.add_number(taken.count());
  return out.take();
}

Result<std::vector<double>> EvaluationCrew::evaluate(
    const std::vector<FunctionPtr>& functions, const CancelToken& cancel) {
  if (functions.empty()) return std::vector<double>();
  const auto input = [&](std::size_t index, bool) {
    const Skeleton& skeleton = *functions[index]->skeleton();
    ByteWriter out;
    out.add_text(skeleton.source());
    add_numbers(out, skeleton.constants());
    return out.take();
  };
  ASSIGN_OR_RETURN(
      const std::vector<std::string> results,
      crew_.map({.count = functions.size(),
                 .input = input,
                 .work = work_,
                 .should_stop = [&] { return cancel.is_cancelled(); }}));
  std::vector<double> seconds;
  std::vector<Evaluation> evaluations;
  for (const std::string& result : results) {
    ByteReader in(result);
    evaluations.push_back(read_evaluation(in));
    seconds.push_back(in.number());
    RETURN_IF_ERROR(in.check("An evaluation"));
  }
  for (std::size_t i = 0; i < functions.size(); ++i) {
    functions[i]->accept(std::move(evaluations[i]));
  }
  return seconds;
}

Result<void> EvaluationCrew::serve() {
  RETURN_IF_ERROR(crew_.serve(work_));
  return {};
}

}  // namespace lamarck::archipelago
