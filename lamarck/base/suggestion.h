// "Did you mean ...?"

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lamarck {

// Insertions, deletions, replacements and swaps of neighbours that lead from
// one word to the other, in bytes.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The known word nearest to `word`, the first of equals; nothing when even that
// one is further off than a third of its letters.
std::optional<std::string> nearest_word(
    std::string_view word, std::span<const std::string> known_words);

}  // namespace lamarck
