// Splits the rows of a table at random.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck::table {

struct SplitRows {
  std::vector<std::size_t> train;
  std::vector<std::size_t> held_out;
};

// Holds out `share` of the rows of each label. `labels` has an entry for every
// row or is empty. A label that occurs once stays in `train`, unless nothing
// else can be held out. Both lists are sorted, and neither is empty if there
// are at least two rows.
SplitRows split_rows(std::size_t rows, double share,
                     std::span<const std::size_t> labels, Rng& rng);

// Returns from[place] for every place.
std::vector<std::size_t> picked(std::span<const std::size_t> from,
                                std::span<const std::size_t> places);

}  // namespace lamarck::table
