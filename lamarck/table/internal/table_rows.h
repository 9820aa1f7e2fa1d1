// Rows of a table in two parts.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck::table {

struct SplitRows {
  std::vector<std::size_t> most;
  std::vector<std::size_t> fewer;
};

// `share` of the rows go to `fewer`, of each label alike; `labels` may be
// empty. A label that comes once stays in `most`. Both are in order, and
// neither is empty if there are two rows or more.
SplitRows split_rows(std::size_t rows, double share,
                     std::span<const std::size_t> labels, Rng& rng);

std::vector<std::size_t> picked(std::span<const std::size_t> from,
                                std::span<const std::size_t> places);

}  // namespace lamarck::table
