// Removes the parts that a model does not need.

#pragma once

#include "lamarck/gp/gp_data.h"
#include "lamarck/gp/gp_fit.h"

namespace lamarck::gp {

// Greedily drops terms, nodes and the intercept while the error on `rows` grows
// by at most half a percent, or stays within rounding. REQUIRES: `model.nmse`
// is its error on these rows, or close to it.
GpModel pruned(GpModel model, const GpRows& rows, GpFitter& fitter);

}  // namespace lamarck::gp
