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
    const std::size_t fewer = std::min(wanted, own.size() - 1);
    split.fewer.insert(split.fewer.end(), own.begin(),
                       own.begin() + static_cast<std::ptrdiff_t>(fewer));
    split.most.insert(split.most.end(),
                      own.begin() + static_cast<std::ptrdiff_t>(fewer),
                      own.end());
  }
  if (split.fewer.empty() && split.most.size() > 1) {
    split.fewer.push_back(split.most.back());
    split.most.pop_back();
  }
  std::ranges::sort(split.most);
  std::ranges::sort(split.fewer);
  return split;
}

std::vector<std::size_t> picked(std::span<const std::size_t> from,
                                std::span<const std::size_t> places) {
  std::vector<std::size_t> result;
  for (const std::size_t place : places) result.push_back(from[place]);
  return result;
}

}  // namespace lamarck::table
