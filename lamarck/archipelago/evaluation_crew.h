// Shares out the evaluations of functions among the processes of a crew.
//
// Only sources and constants travel, and scores come back. Everything else of a
// run, such as answers of a language model, stays with the leader.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/archipelago/evaluator.h"
#include "lamarck/archipelago/function.h"
#include "lamarck/archipelago/journal_record.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/crew/crew.h"

namespace lamarck::archipelago {

class EvaluationCrew {
 public:
  // The crew must outlive the object. A skeleton that `reader` makes of a
  // source must have the same evaluation as the one that the source is from.
  EvaluationCrew(crew::Crew& crew, SkeletonReader reader,
                 std::shared_ptr<const Evaluator> evaluator);
  // The work points to the object.
  EvaluationCrew(const EvaluationCrew&) = delete;
  EvaluationCrew& operator=(const EvaluationCrew&) = delete;

  // Leader: evaluates the functions, and returns how many seconds each took.
  // Their profilers get no events. Fails with Cancelled, and evaluates none, if
  // `cancel` is cancelled meanwhile.
  // REQUIRES: none is evaluated.
  Result<std::vector<double>> evaluate(
      const std::vector<FunctionPtr>& functions, const CancelToken& cancel);
  // Member: evaluates functions until the leader ends the stage.
  Result<void> serve();

 private:
  std::string evaluate_piece(std::string_view input) const;

  crew::Crew& crew_;
  const SkeletonReader reader_;
  const std::shared_ptr<const Evaluator> evaluator_;
  const crew::Work work_;
};

}  // namespace lamarck::archipelago
