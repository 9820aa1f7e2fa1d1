// The rows of a table with a column of weights.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/table.h"

namespace lamarck::table {

// Returns the rows whose weight is above 0, sorted by their cells, so that the
// result does not depend on rows of weight 0 or on the order of the rows.
// Returns nothing, so that the table is used as it is, if `weight` is empty or
// all weights are equal. Fails if a weight is missing, negative or infinite, or
// if all are 0.
Result<std::optional<data::Table>> weighted_rows(const data::Table& table,
                                                 const std::string& weight);

// The weights of the given rows, scaled to a mean of 1; empty if `weight` is
// empty or all of them are equal.
std::vector<double> weights_of_rows(const data::Table& table,
                                    const std::string& weight,
                                    std::span<const std::size_t> rows);

}  // namespace lamarck::table
