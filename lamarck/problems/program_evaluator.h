// Scores a program by the evaluate.py of its folder, in a sandbox.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/problems/program_runner.h"

namespace lamarck::problems {

struct ProgramEvaluatorOptions {
  // A score below this on any input is a failure, and the inputs after it are
  // skipped. List cheap inputs first.
  std::optional<double> cascade_floor;
  // The same for single inputs.
  std::map<std::string, double> cascade_floors;
};

// Evaluates the inputs one by one, each in a new sandbox, up to the first
// failure.
class ProgramEvaluator : public archipelago::Evaluator {
 public:
  // Asks evaluate.py for its inputs and evaluates the program of the folder.
  // Returns an error if that program fails, since nothing could evolve from it.
  static Result<std::shared_ptr<const ProgramEvaluator>> open(
      std::shared_ptr<const ProgramRunner> runner,
      const ProgramEvaluatorOptions& options = {},
      const CancelToken& cancel = {});

  std::size_t input_count() const override { return input_count_; }
  // Empty if evaluate.py returns all scores in one run.
  const std::vector<std::string>& input_names() const { return names_; }
  // The evaluation of the program in the folder.
  const archipelago::Evaluation& first() const { return first_; }

  archipelago::Evaluation evaluate(const archipelago::Skeleton& skeleton,
                                   const CancelToken& cancel) const override;

 private:
  ProgramEvaluator(std::shared_ptr<const ProgramRunner> runner,
                   const ProgramEvaluatorOptions& options);
  archipelago::Evaluation evaluate_source(const std::string& source,
                                          const CancelToken& cancel) const;
  std::optional<double> floor_of(const std::string& input) const;
  archipelago::Evaluation evaluate_at_once(const std::string& source,
                                           const CancelToken& cancel) const;

  std::shared_ptr<const ProgramRunner> runner_;
  ProgramEvaluatorOptions options_;
  std::vector<std::string> names_;
  std::size_t input_count_ = 0;  // 0 until the first evaluation.
  archipelago::Evaluation first_;
};

}  // namespace lamarck::problems
