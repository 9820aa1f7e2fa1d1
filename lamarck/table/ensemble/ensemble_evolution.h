// The last part of an evolution on a table: designs are compared by
// cross-validation, and the best networks become one.

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "lamarck/table/table_evolution.h"

namespace lamarck::table {

struct EnsembleRequest {
  const TablePlan& plan;
  const evolution::Examples& known;  // Training and validation rows.
  std::vector<std::size_t> labels;   // The class of each row; may be empty.
  const TableEvolutionOptions& options;
  const Profiler<evolution::EvolutionEvent>& profiler;
  // Gets the ensemble's out-of-fold outputs for `known`; if it returns false,
  // the evolved network stays. May be empty.
  std::function<bool(const Tensor& outputs)> is_better = {};
};

// Replaces the evolved network of `outcome` by an ensemble, and its score,
// intervals and counts by those of the ensemble. Progress is reported like that
// of the evolution before, as part of its last generation. Leaves the network
// as it is if no design was trained in time or if the ensemble is not better.
void build_ensemble(const EnsembleRequest& request,
                    TableEvolutionOutcome& outcome);

}  // namespace lamarck::table
