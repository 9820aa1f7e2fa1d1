// The normal form in which models are stored and compared.

#pragma once

#include "lamarck/gp/gp_data.h"
#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/gp_options.h"

namespace lamarck::gp {

// Folds constants, removes factors and summands that the coefficients and the
// intercept express, splits sums into terms and drops repeated terms. The model
// must be fitted again afterwards.
void normalize(GpModel& model);

// Whether the model is within the limits of size, terms and nesting, and has
// only finite constants.
bool is_allowed(const GpModel& model, const GpOptions& options);

// Converts the whole model, including the intercept, to one tree.
GpTree make_gp_tree(const GpModel& model);

// Converts a model of z to a model of y by undoing the link of `data`. With
// `snaps`, exponents close to a simple number such as 2 or 0.5 become that
// number. The result must be fitted again.
GpModel unlinked(const GpModel& model, const GpData& data, bool snaps);

// Equal for models that differ only in their constants or the order of terms.
std::uint64_t structure_hash(const GpModel& model);

}  // namespace lamarck::gp
