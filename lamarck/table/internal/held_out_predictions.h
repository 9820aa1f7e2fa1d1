// Predictions for the held-out rows of a table, and what they are compared
// with.

#pragma once

#include <string>
#include <vector>

#include "lamarck/data/dataset.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::table {

// Scores the constant prediction: the most frequent class of the training rows,
// or their mean.
Baseline constant_baseline(const data::Dataset& train,
                           const data::Dataset& test, const TablePlan& plan);

// Replaces non-finite outputs by 0 and adds a remark if there are any.
Tensor replace_non_finite(const Tensor& outputs,
                          std::vector<std::string>& remarks);

// Adds the predictions for the held-out rows, in the units of the table.
void add_predictions(TableEvolutionOutcome& outcome, const Tensor& outputs,
                     const data::Dataset& test);

}  // namespace lamarck::table
