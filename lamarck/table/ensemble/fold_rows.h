// Splits rows into folds for cross-validation.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/base/rng.h"

namespace lamarck::table {

// 8 for few rows, where a fold is cheap and each row counts; 3 for many.
std::size_t choose_fold_count(std::size_t rows);

// Returns the rows of each fold, sorted. The rows of a label are spread evenly.
// `labels` has an entry for every row or is empty. REQUIRES: folds <= rows.
std::vector<std::vector<std::size_t>> make_folds(
    std::size_t rows, std::size_t folds, std::span<const std::size_t> labels,
    Rng& rng);

// Returns folds of consecutive rows, for a series: its neighbouring rows
// resemble each other, so the rows of a random fold would be easy to predict.
// REQUIRES: folds <= rows.
std::vector<std::vector<std::size_t>> make_blocks(std::size_t rows,
                                                  std::size_t folds);

// The rows below `rows` that are not in `fold`, which is sorted.
std::vector<std::size_t> rows_outside(std::span<const std::size_t> fold,
                                      std::size_t rows);

// The rows below `rows` that are more than `gap` rows away from `block`, which
// is one of make_blocks.
std::vector<std::size_t> rows_away_from(std::span<const std::size_t> block,
                                        std::size_t rows, std::size_t gap);

}  // namespace lamarck::table
