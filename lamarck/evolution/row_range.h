// A list of consecutive row indices.

#pragma once

#include <cstddef>
#include <vector>

namespace lamarck::evolution {

// Returns begin, begin + 1, ..., end - 1.
inline std::vector<std::size_t> row_range(std::size_t begin, std::size_t end) {
  std::vector<std::size_t> rows;
  for (std::size_t row = begin; row < end; ++row) rows.push_back(row);
  return rows;
}

}  // namespace lamarck::evolution
