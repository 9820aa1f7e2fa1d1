// Joins networks into one network that computes their weighted mean.

#pragma once

#include <span>
#include <vector>

#include "lamarck/evolution/network.h"
#include "lamarck/table/ensemble/spline_inputs.h"

namespace lamarck::table {

struct EnsembleMember {
  const evolution::Network* network = nullptr;
  // The columns of its first inputs; null: all, in order.
  const std::vector<std::size_t>* inputs = nullptr;
  const std::vector<SplineInput>* splines = nullptr;  // May be null.
  double weight = 1;                                  // All weights sum to 1.
};

// Whether a network can be a member: forward edges between dense nodes whose
// inputs are added up.
bool can_join_ensemble(const evolution::Network& network);

// Returns one network of `inputs` inputs whose outputs, before the activation
// of the head, are the weighted mean of the members' outputs. Encodings of
// inputs become a layer of ReLU units, and first layers that feed only the
// outputs are joined to one. REQUIRES: at least one member; can_join_ensemble;
// all have the same head and outputs, and as inputs the columns that they use
// and the features of their splines.
evolution::Network join_ensemble(std::span<const EnsembleMember> members,
                                 std::size_t inputs);

}  // namespace lamarck::table
