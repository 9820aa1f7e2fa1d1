#include "lamarck/law/internal/law_result.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lamarck/archipelago/evolver_deadline.h"
#include "lamarck/base/budget.h"
#include "lamarck/law/law_polish.h"

namespace lamarck::law {
namespace {

// After the time budget, a tenth of it, but at least this much, is left to
// polish the laws. Without a time budget, all of them are polished.
constexpr std::chrono::milliseconds kMinPolishTime(1000);
// The same after Ctrl-C, for what is nearly done.
constexpr std::chrono::milliseconds kPolishTimeAfterCancel(500);

std::optional<std::chrono::milliseconds> polish_time(
    const RunTime& time, const CancelToken& cancel) {
  if (cancel.is_cancelled()) return kPolishTimeAfterCancel;
  if (!time.budget) return std::nullopt;
  const auto limit = *time.budget;
  const auto left =
      limit - std::chrono::duration_cast<std::chrono::milliseconds>(time.spent);
  return std::max(left, std::chrono::milliseconds(0)) +
         std::max(kMinPolishTime, limit / 10);
}

}  // namespace

void polish_front(LawSearchResult& result, const LawRecorder& recorder,
                  const gp::RegressionProblem& problem,
                  const CancelToken& cancel) {
  LawFront front;
  const std::vector<ExtrapolationFold> folds =
      make_extrapolation_folds(problem);
  for (const Law& law : recorder.front().laws()) {
    if (cancel.is_cancelled()) {
      front.insert(law);
      continue;
    }
    for (Law& better : polish(law, problem, cancel)) {
      if (!folds.empty() && !cancel.is_cancelled()) {
        better.extrapolated = extrapolated_nmse(better.formula.body,
                                                better.params, problem, folds);
      }
      front.insert(std::move(better));
    }
  }
  result.front = front.laws();
  if (result.front.empty()) return;
  result.best = chosen_law(result.front, problem);
  result.lineage = recorder.lineage(result.front[result.best].id);
}

void polish_in_time(LawSearchResult& result, const LawRecorder& recorder,
                    const gp::RegressionProblem& problem, const RunTime& time,
                    const CancelToken& cancel) {
  Budget budget({.wall_time = polish_time(time, cancel)}, time.clock);
  // Without a parent if the user has cancelled already: half a second is left.
  CancelSource limited(cancel.is_cancelled() ? CancelToken() : cancel);
  const archipelago::EvolverDeadline deadline(budget, limited);
  polish_front(result, recorder, problem, limited.token());
}

}  // namespace lamarck::law
