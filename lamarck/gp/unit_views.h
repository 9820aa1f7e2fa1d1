// Views (gp_view.h) whose inputs are pure numbers: products of powers of the
// columns in which the units cancel. Every law that is consistent has such a
// form, and every formula of such a view is consistent (Buckingham's theorem).

#pragma once

#include <vector>

#include "lamarck/formula/dimensions.h"
#include "lamarck/gp/gp_view.h"

namespace lamarck::gp {

// Rewrites the inputs of `start`, which must be consistent, as pure numbers,
// in up to `count` ways. Empty if no product of powers of the inputs has the
// dimension of the target, or if inputs that are needed for it take both signs.
std::vector<GpView> unit_views(const RegressionProblem& problem,
                               const GpView& start,
                               const formula::Dimensions& dimensions,
                               std::size_t count);

// Whether some product of powers of the inputs has the dimension of the target.
bool can_express_target(const formula::Dimensions& dimensions);

// Whether all inputs of the view, and its factor, are consistent.
bool is_consistent(const GpView& view, const formula::Dimensions& dimensions);

}  // namespace lamarck::gp
