#include "lamarck/base/suggestion.h"

#include <algorithm>
#include <vector>

namespace lamarck {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Damerau-Levenshtein distance (optimal string alignment). row[i][j] is the
  // distance between the first i bytes of `from` and the first j of `to`.
  const std::size_t width = to.size() + 1;
  std::vector<std::vector<std::size_t>> row(from.size() + 1,
                                            std::vector<std::size_t>(width));
  for (std::size_t i = 0; i <= from.size(); ++i) row[i][0] = i;
  for (std::size_t j = 0; j < width; ++j) row[0][j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    for (std::size_t j = 1; j < width; ++j) {
      const std::size_t replaced =
          row[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[i][j] = std::min({row[i - 1][j] + 1, row[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] &&
          from[i - 2] == to[j - 1]) {
        row[i][j] = std::min(row[i][j], row[i - 2][j - 2] + 1);
      }
    }
  }
  return row[from.size()][to.size()];
}

std::optional<std::string> nearest_word(
    std::string_view word, std::span<const std::string> known_words) {
  constexpr std::size_t kMaxLength = 64;  // Longer input is not a typo.
  if (word.size() > kMaxLength) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t best_distance = 0;
  for (const std::string& known : known_words) {
    const std::size_t distance = edit_distance(word, known);
    const std::size_t allowed = std::max<std::size_t>(1, known.size() / 3);
    // A word without a letter in common is not a typo.
    if (distance >= known.size() || distance > allowed ||
        (nearest && distance >= best_distance))
      continue;
    nearest = known;
    best_distance = distance;
  }
  return nearest;
}

}  // namespace lamarck
