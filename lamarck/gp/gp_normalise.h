// The form in which models are kept and compared.

#pragma once

#include "lamarck/gp/gp_data.h"
#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/gp_options.h"

namespace lamarck::gp {

// Folds constants, takes out what the coefficients and the intercept do as
// well, splits sums into terms and drops terms that come twice.
void normalise(GpModel& model);

// Whether it keeps to the limits of size, terms and nesting.
bool is_allowed(const GpModel& model, const GpOptions& options);

// The whole model as one tree, intercept and all.
GpTree tree_of(const GpModel& model);

// The model of y for a model of what is seen through the data's link. Powers
// that are nearly whole become whole if `snaps`.
GpModel unlinked(const GpModel& model, const GpData& data, bool snaps);

// Equal for models that differ in their constants alone.
std::uint64_t structure_hash(const GpModel& model);

}  // namespace lamarck::gp
