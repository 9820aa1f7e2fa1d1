#include "lamarck/gp/find_views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "lamarck/gp/smooth_fit.h"
#include "lamarck/gp/unit_views.h"
#include "lamarck/gp/view_steps.h"

namespace lamarck::gp {
namespace {

constexpr std::size_t kMinRows = 100;
constexpr std::size_t kMaxTries = 6;  // Steps that are tried from one view.
// Of the variance of y. A model with a larger error shows no symmetry.
constexpr double kMaxError = 0.2;
// How much the error may grow by a step. It usually falls, since polynomials of
// fewer inputs may have a higher degree.
constexpr double kMaxStepGrowth = 1.2;
// A step that reduces the error so far is taken without trying the others.
constexpr double kClearGain = 0.2;
// Of the variance of y. Below it, rounding decides.
constexpr double kMinError = 1e-11;

constexpr std::array<SmoothForm, 8> kForms = {
    {{.target = SmoothTarget::Plain, .has_log_inputs = false},
     {.target = SmoothTarget::Log, .has_log_inputs = true},
     {.target = SmoothTarget::Log, .has_log_inputs = false},
     {.target = SmoothTarget::Plain, .has_log_inputs = true},
     {.target = SmoothTarget::Inverse, .has_log_inputs = false},
     {.target = SmoothTarget::Inverse, .has_log_inputs = true},
     {.target = SmoothTarget::Square, .has_log_inputs = false},
     {.target = SmoothTarget::Square, .has_log_inputs = true}}};

// A view with its best smooth model so far.
struct FittedView {
  ViewedProblem viewed;
  SmoothForm form;
  double error = std::numeric_limits<double>::infinity();
};

class ViewFinder {
 public:
  ViewFinder(const RegressionProblem& problem, const CancelToken& cancel)
      : problem_(&problem),
        cancel_(&cancel),
        variance_(variance_of(problem.target)) {}

  std::vector<GpView> find(const GpView& start) {
    std::vector<GpView> chain;
    FittedView now{.viewed = viewed(*problem_, start), .form = {}};
    if (!now.viewed.is_finite()) return chain;
    try_forms(now);
    while (!now.viewed.view.inputs.empty() && now.error < kMaxError) {
      std::optional<FittedView> next = best_step(now);
      if (!next || cancel_->is_cancelled()) break;
      now = std::move(*next);
      try_forms(now);
      chain.push_back(now.viewed.view);
    }
    return chain;
  }

 private:
  double error_of(const ViewedProblem& viewed, const SmoothForm& form) const {
    return fit_smooth(viewed.problem, viewed.factor, form, false).error /
           variance_;
  }

  void try_forms(FittedView& fitted) const {
    for (const SmoothForm& form : kForms) {
      if (cancel_->is_cancelled()) return;
      const double error = error_of(fitted.viewed, form);
      if (error < fitted.error) {
        fitted.error = error;
        fitted.form = form;
      }
    }
  }

  std::optional<FittedView> best_step(const FittedView& from) const {
    const SmoothFit fit =
        fit_smooth(from.viewed.problem, from.viewed.factor, from.form, true);
    if (fit.slopes.size() != from.viewed.problem.inputs.size()) return {};
    std::optional<FittedView> best;
    std::size_t tries = 0;
    for (const ViewStep& step : view_steps(from.viewed, fit)) {
      if (problem_->dimensions &&
          !is_consistent(step.view, *problem_->dimensions)) {
        continue;
      }
      if (++tries > kMaxTries || cancel_->is_cancelled()) break;
      FittedView next{.viewed = viewed(*problem_, step.view),
                      .form = from.form};
      if (!next.viewed.is_finite()) continue;
      next.error = error_of(next.viewed, next.form);
      // Later steps are less likely, so they must be clearly better.
      const double limit =
          best ? kClearGain * best->error
               : std::max(kMaxStepGrowth * from.error, kMinError);
      if (!(next.error <= limit)) continue;
      best = std::move(next);
      if (best->error < std::max(kClearGain * from.error, kMinError)) break;
    }
    return best;
  }

  const RegressionProblem* problem_;
  const CancelToken* cancel_;
  double variance_;
};

}  // namespace

std::vector<GpView> find_views(const RegressionProblem& problem,
                               const GpView& start, const CancelToken& cancel) {
  if (problem.rows() < kMinRows) return {};
  return ViewFinder(problem, cancel).find(start);
}

}  // namespace lamarck::gp
