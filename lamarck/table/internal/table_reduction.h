// Reduces a large table to what an evolution can use: a sample of its rows, and
// the columns that tell most about the target.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/data/table.h"
#include "lamarck/data/table_encoding.h"
#include "lamarck/table/table_evolution.h"

namespace lamarck::table {

// Returns a sample of the rows if there are more than kMaxTableRows, or fewer
// for a wide table, so that at most kMaxTableNumbers numbers are encoded. The
// rows of a series are the latest kMaxSeriesRows. Adds a remark if it returns a
// table.
std::optional<data::Table> reduce_rows(const data::Table& table,
                                       const TableEvolutionOptions& options,
                                       std::vector<std::string>& remarks);

// Returns the columns to ignore, so that at most kMaxTableInputs inputs of the
// encoding are left, or kMaxNeuronInputs; empty if there are not more. Chooses
// by the rows of `train` with data::InputScreening, keeps the columns in
// `required`, and adds a remark. `train` must have the columns of the encoding.
std::vector<std::string> columns_to_ignore(
    const data::Table& train, const data::TableEncoding& encoding,
    evolution::Grain grain, const std::vector<std::string>& required,
    std::vector<std::string>& remarks);

}  // namespace lamarck::table
