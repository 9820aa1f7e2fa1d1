#include "lamarck/table/internal/table_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lamarck::table {

SplitRows split_rows(std::size_t rows, double share,
                     std::span<const std::size_t> labels, Rng& rng) {
  std::map<std::size_t, std::vector<std::size_t>> by_label;
  for (std::size_t row = 0; row < rows; ++row) {
    by_label[labels.empty() ? 0 : labels[row]].push_back(row);
  }
  SplitRows split;
  for (auto& [label, own] : by_label) {
    rng.shuffle(own);
    const auto wanted = static_cast<std::size_t>(
        std::lround(share * static_cast<double>(own.size())));
    const std::size_t count = std::min(wanted, own.size() - 1);
    split.held_out.insert(split.held_out.end(), own.begin(),
                          own.begin() + static_cast<std::ptrdiff_t>(count));
    split.train.insert(split.train.end(),
                       own.begin() + static_cast<std::ptrdiff_t>(count),
                       own.end());
  }
  // Every label occurs once, or the share rounds to 0 for each.
  if (split.held_out.empty() && split.train.size() > 1) {
    split.held_out.push_back(split.train.back());
    split.train.pop_back();
  }
  std::ranges::sort(split.train);
  std::ranges::sort(split.held_out);
  return split;
}

std::vector<std::size_t> picked(std::span<const std::size_t> from,
                                std::span<const std::size_t> places) {
  std::vector<std::size_t> result;
  for (const std::size_t place : places) result.push_back(from[place]);
  return result;
}

}  // namespace lamarck::table
