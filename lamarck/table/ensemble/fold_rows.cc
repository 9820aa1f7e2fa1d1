#include "lamarck/table/ensemble/fold_rows.h"

#include <algorithm>
#include <map>

namespace lamarck::table {

std::size_t choose_fold_count(std::size_t rows) {
  constexpr std::size_t kFewRows = 600;
  constexpr std::size_t kManyRows = 20'000;
  if (rows <= kFewRows) return std::min<std::size_t>(8, rows);
  return rows <= kManyRows ? 5 : 3;
}

std::vector<std::vector<std::size_t>> make_folds(
    std::size_t rows, std::size_t folds, std::span<const std::size_t> labels,
    Rng& rng) {
  std::map<std::size_t, std::vector<std::size_t>> by_label;
  for (std::size_t row = 0; row < rows; ++row) {
    by_label[labels.empty() ? 0 : labels[row]].push_back(row);
  }
  std::vector<std::vector<std::size_t>> result(folds);
  std::size_t next = 0;  // Carries over, so that the folds have equal sizes.
  for (auto& [label, own] : by_label) {
    rng.shuffle(own);
    for (const std::size_t row : own) result[next++ % folds].push_back(row);
  }
  for (auto& fold : result) std::ranges::sort(fold);
  return result;
}

std::vector<std::vector<std::size_t>> make_blocks(std::size_t rows,
                                                  std::size_t folds) {
  std::vector<std::vector<std::size_t>> result(folds);
  for (std::size_t row = 0; row < rows; ++row) {
    result[row * folds / rows].push_back(row);
  }
  return result;
}

std::vector<std::size_t> rows_outside(std::span<const std::size_t> fold,
                                      std::size_t rows) {
  std::vector<std::size_t> outside;
  for (std::size_t row = 0; row < rows; ++row) {
    if (!std::ranges::binary_search(fold, row)) outside.push_back(row);
  }
  return outside;
}

std::vector<std::size_t> rows_away_from(std::span<const std::size_t> block,
                                        std::size_t rows, std::size_t gap) {
  std::vector<std::size_t> away;
  for (std::size_t row = 0; row < rows; ++row) {
    if (row + gap < block.front() || row > block.back() + gap) {
      away.push_back(row);
    }
  }
  return away;
}

}  // namespace lamarck::table
