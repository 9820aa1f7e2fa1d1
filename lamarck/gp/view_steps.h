// Steps from a view to one with fewer inputs, as far as the derivatives of a
// smooth model suggest them.

#pragma once

#include <vector>

#include "lamarck/gp/gp_view.h"
#include "lamarck/gp/smooth_fit.h"

namespace lamarck::gp {

struct ViewStep {
  GpView view;
  // The share of the derivatives that contradicts the step; 0 is perfect.
  double contradiction = 0;
};

// Steps that take one input out of the view: it becomes a power in the factor,
// or a power of a common function such as cos(a) or 1 - a**2, or two inputs
// become one, such as a - b, a**2 + b**2 or a/b, the latter also with a power
// in the factor. The least contradicted come first. REQUIRES: the fit has
// slopes and belongs to `viewed`.
std::vector<ViewStep> view_steps(const ViewedProblem& viewed,
                                 const SmoothFit& fit);

// Views in which one positive input became a common power in the factor, for
// models whose derivatives are too inaccurate to suggest anything.
std::vector<GpView> power_views(const ViewedProblem& viewed);

}  // namespace lamarck::gp
