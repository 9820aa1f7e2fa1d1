// Chooses the columns that tell most about a target, for tables with more
// columns than a search can use.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lamarck/data/table.h"

namespace lamarck::data {

// How much a column tells about the target. Both are 0 or more; larger is
// better.
struct ColumnScore {
  // The larger one of the correlations of values and of ranks, without sign.
  // For a class or a category: the share of the variance that it explains.
  double correlation = 0;
  // The mutual information in nats of the values in bins, less what chance
  // alone would give. It also finds relations that are not monotonic.
  double information = 0;
};

// Scores columns by at most 1000 rows, drawn once. Deterministic.
// Thread safety: immutable.
class InputScreening {
 public:
  explicit InputScreening(const Column& target);

  // REQUIRES: as many rows as the target has.
  ColumnScore score(const Column& column) const;
  ColumnScore score(std::span<const double> numbers) const;

 private:
  std::vector<std::size_t> rows_;  // Those with a target.
  std::vector<double> numbers_;    // Of the target; empty for classes.
  std::vector<std::size_t> bins_;  // Of the target.
};

// Returns the places of the chosen columns in ascending order. The sum of their
// widths is at most `max_width`, unless the required ones exceed it. They get
// their places first; half of the rest goes to the highest correlations, the
// rest to the most information. The earlier one of two equal columns wins.
// REQUIRES: as many widths as scores.
std::vector<std::size_t> choose_informative(
    std::span<const ColumnScore> scores, std::span<const std::size_t> widths,
    std::size_t max_width, std::span<const std::size_t> required = {});

}  // namespace lamarck::data
