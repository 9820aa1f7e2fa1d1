#include "lamarck/law/internal/law_result.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lamarck/archipelago/evolver_deadline.h"
#include "lamarck/base/budget.h"
#include "lamarck/law/law_polish.h"
#include "lamarck/law/law_rewriting.h"
#include "lamarck/law/law_simple_constants.h"

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

// With the error on all rows, where it was that of the fitted ones.
Law measured(Law law, const gp::RegressionProblem& problem) {
  law.nmse = law_nmse(law.formula.body, law.params, problem);
  return law;
}

// The most promising laws first, in case that time runs out.
std::vector<Law> by_description(std::vector<Law> laws, std::size_t rows) {
  std::ranges::stable_sort(laws, [&](const Law& a, const Law& b) {
    return description_length(a, rows) < description_length(b, rows);
  });
  return laws;
}

}  // namespace

void polish_front(LawSearchResult& result, const LawRecorder& recorder,
                  const gp::RegressionProblem& problem,
                  const CancelToken& cancel) {
  const std::vector<ExtrapolationFold> folds =
      make_extrapolation_folds(problem);
  const auto insert = [&](LawFront& front, Law law) {
    if (!problem.allows(law.formula.body, law.params)) return;
    if (!folds.empty() && !cancel.is_cancelled()) {
      law.extrapolated =
          extrapolated_nmse(law.formula.body, law.params, problem, folds);
    }
    front.insert(std::move(law));
  };
  LawFront polished;
  for (const Law& law : recorder.front().laws()) {
    if (cancel.is_cancelled()) {
      polished.insert(measured(law, problem));
      continue;
    }
    for (Law& better : polish(law, problem, cancel)) {
      insert(polished, std::move(better));
    }
  }
  LawFront front;
  for (const Law& law : by_description(polished.laws(), problem.rows())) {
    Law better = rewritten(law, problem, cancel);
    std::vector<Law> simpler = with_simple_constants(better, problem, cancel);
    insert(front, std::move(better));
    for (Law& each : simpler) insert(front, std::move(each));
  }
  result.front = front.laws();
  for (Law& law : result.front) set_deviations(law, problem);
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
