// Takes away what a model can do without.

#pragma once

#include "lamarck/gp/gp_data.h"
#include "lamarck/gp/gp_fit.h"

namespace lamarck::gp {

// Greedily drops terms, nodes and the intercept as long as the error on `rows`
// stays what it is, up to half a percent or to rounding. REQUIRES: fitted to
// these rows, or nearly so.
GpModel pruned(GpModel model, const GpRows& rows, GpFitter& fitter);

}  // namespace lamarck::gp
