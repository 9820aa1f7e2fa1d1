// What a program is worth: its folder's evaluate.py says so, in a sandbox.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/problems/program_runner.h"

namespace lamarck::problems {

struct ProgramEvaluatorOptions {
  // A score below this on any input is a failure and spares the inputs behind
  // it, so list cheap inputs first.
  std::optional<double> cascade_floor;
};

// Inputs are evaluated one by one, each in a sandbox of its own, up to the
// first failure.
class ProgramEvaluator : public archipelago::Evaluator {
 public:
  // Asks evaluate.py for its inputs and evaluates the folder's own program,
  // whose failure is an error: nothing could evolve from it.
  static Result<std::shared_ptr<const ProgramEvaluator>> open(
      std::shared_ptr<const ProgramRunner> runner,
      const ProgramEvaluatorOptions& options = {},
      const CancelToken& cancel = {});

  std::size_t input_count() const override { return input_count_; }
  // Empty if evaluate.py gives its scores in one run.
  const std::vector<std::string>& input_names() const { return names_; }
  // Of the folder's own program.
  const archipelago::Evaluation& first() const { return first_; }

  archipelago::Evaluation evaluate(const archipelago::Skeleton& skeleton,
                                   const CancelToken& cancel) const override;

 private:
  ProgramEvaluator(std::shared_ptr<const ProgramRunner> runner,
                   const ProgramEvaluatorOptions& options);
  archipelago::Evaluation evaluate_source(const std::string& source,
                                          const CancelToken& cancel) const;
  archipelago::Evaluation evaluate_at_once(const std::string& source,
                                           const CancelToken& cancel) const;

  std::shared_ptr<const ProgramRunner> runner_;
  ProgramEvaluatorOptions options_;
  std::vector<std::string> names_;
  std::size_t input_count_ = 0;  // 0 until the first evaluation.
  archipelago::Evaluation first_;
};

}  // namespace lamarck::problems
