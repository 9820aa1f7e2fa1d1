#include "lamarck/gp/find_views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
constexpr double kMaxError = 0.5;
// How much the error may grow by a step. It usually falls, since polynomials of
// fewer inputs may have a higher degree.
constexpr double kMaxStepGrowth = 1.2;
// A step that reduces the error so far is taken without trying the others.
constexpr double kClearGain = 0.2;
// A power that the derivatives do not suggest must reduce the error so far.
constexpr double kPowerGain = 0.8;
// With more inputs, trying all powers or pairs of angles would take long.
constexpr std::size_t kMaxTriedInputs = 8;
// Of the variance of y. Below it, rounding decides.
constexpr double kMinError = 1e-11;

// An input with a smaller range is not tried as an angle: a polynomial does as
// well.
constexpr double kMinAngleRange = 1;
// An input is an angle if the error falls below this share.
constexpr double kAngleGain = 0.5;
// Above this error, polynomials of all inputs are a poor model.
constexpr double kPoorError = 1e-3;

struct FormKind {
  SmoothTarget target;
  bool has_log_inputs;
};
constexpr std::array<FormKind, 8> kForms = {{{SmoothTarget::Plain, false},
                                             {SmoothTarget::Log, true},
                                             {SmoothTarget::Log, false},
                                             {SmoothTarget::Plain, true},
                                             {SmoothTarget::Inverse, false},
                                             {SmoothTarget::Inverse, true},
                                             {SmoothTarget::Square, false},
                                             {SmoothTarget::Square, true}}};

// A view with its best smooth model so far.
struct FittedView {
  ViewedProblem viewed;
  SmoothForm form;
  double error = std::numeric_limits<double>::infinity();
};

// Whether the tree is an angle of the old view, or a sum or difference of two.
bool is_angle(const GpTree& tree, const FittedView& from) {
  for (std::size_t i = 0; i < from.form.angles.size(); ++i) {
    if (from.viewed.view.inputs[i] == tree) return from.form.angles[i] != 0;
  }
  if (tree.back().op != formula::Op::Add &&
      tree.back().op != formula::Op::Sub) {
    return false;
  }
  const std::size_t root = tree.size() - 1;
  return is_angle(subtree(tree, first_argument(tree, root)), from) &&
         is_angle(subtree(tree, root - 1), from);
}

std::vector<std::uint8_t> angles_after(const FittedView& from,
                                       const GpView& to) {
  std::vector<std::uint8_t> angles;
  for (const GpTree& input : to.inputs) {
    angles.push_back(is_angle(input, from) ? 1 : 0);
  }
  return angles;
}

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
    now.form.angles.assign(start.inputs.size(), 0);
    choose_form(now);
    while (!now.viewed.view.inputs.empty() && now.error < kMaxError) {
      std::optional<FittedView> next = best_step(now);
      if (!next && now.error > kPoorError) next = best_power(now);
      if (!next || cancel_->is_cancelled()) break;
      now = std::move(*next);
      choose_form(now);
      chain.push_back(now.viewed.view);
    }
    return chain;
  }

 private:
  double error_of(const ViewedProblem& viewed, const SmoothForm& form) const {
    return fit_smooth(viewed.problem, viewed.factor, form, false).error /
           variance_;
  }

  void choose_form(FittedView& fitted) const {
    try_forms(fitted);
    // Other forms may be better once the angles are known.
    if (find_angles(fitted)) try_forms(fitted);
  }

  // Tries which inputs are angles, one by one, and in pairs if polynomials fail
  // and no single one helps. Returns whether there are new ones.
  bool find_angles(FittedView& fitted) const {
    std::vector<std::size_t> wide;
    for (std::size_t i = 0; i < fitted.form.angles.size(); ++i) {
      const auto [low, high] =
          std::minmax_element(fitted.viewed.problem.inputs[i].begin(),
                              fitted.viewed.problem.inputs[i].end());
      if (fitted.form.angles[i] == 0 && *high - *low >= kMinAngleRange) {
        wide.push_back(i);
      }
    }
    bool has_found = false;
    for (const std::size_t i : wide) has_found |= take_angles(fitted, {i});
    if (wide.size() > kMaxTriedInputs) return has_found;
    for (std::size_t a = 0; a < wide.size() && !has_found; ++a) {
      for (std::size_t b = a + 1; b < wide.size() && !has_found; ++b) {
        if (fitted.error < kPoorError) return false;
        has_found = take_angles(fitted, {wide[a], wide[b]});
      }
    }
    return has_found;
  }

  bool take_angles(FittedView& fitted,
                   const std::vector<std::size_t>& inputs) const {
    if (cancel_->is_cancelled() || fitted.error < kMinError) return false;
    SmoothForm form = fitted.form;
    for (const std::size_t i : inputs) form.angles[i] = 1;
    const double error = error_of(fitted.viewed, form);
    if (!(error < kAngleGain * fitted.error)) return false;
    fitted.error = error;
    fitted.form = std::move(form);
    return true;
  }

  void try_forms(FittedView& fitted) const {
    for (const FormKind& kind : kForms) {
      if (cancel_->is_cancelled()) return;
      SmoothForm form = fitted.form;
      form.target = kind.target;
      form.has_log_inputs = kind.has_log_inputs;
      const double error = error_of(fitted.viewed, form);
      if (error < fitted.error) {
        fitted.error = error;
        fitted.form = std::move(form);
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
      next.form.angles = angles_after(from, step.view);
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

  // Without one input, the polynomial has a higher degree, so the right power
  // reduces the error.
  std::optional<FittedView> best_power(const FittedView& from) const {
    std::optional<FittedView> best;
    if (from.viewed.view.inputs.size() > kMaxTriedInputs) return best;
    for (const GpView& view : power_views(from.viewed)) {
      if (cancel_->is_cancelled()) break;
      if (problem_->dimensions && !is_consistent(view, *problem_->dimensions)) {
        continue;
      }
      FittedView next{.viewed = viewed(*problem_, view), .form = from.form};
      next.form.angles = angles_after(from, view);
      if (!next.viewed.is_finite()) continue;
      next.error = error_of(next.viewed, next.form);
      const double limit = best ? best->error : kPowerGain * from.error;
      if (next.error < limit) best = std::move(next);
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
