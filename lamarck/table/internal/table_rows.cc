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
  // If the share rounds to 0 for each label, holds out one row, but not the
  // only one of its label.
  if (split.held_out.empty()) {
    const auto found =
        std::find_if(by_label.rbegin(), by_label.rend(),
                     [](const auto& each) { return each.second.size() > 1; });
    if (found != by_label.rend()) {
      split.held_out.push_back(found->second.back());
      std::erase(split.train, found->second.back());
    }
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
