// Finds the word a user probably meant, for "did you mean ...?" messages.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lamarck {

// The number of insertions, deletions, replacements and swaps of adjacent bytes
// that turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to);

// Returns the known word nearest to `word`, the first of equals, or nullopt if
// its distance exceeds a third of its length (at least 1).
std::optional<std::string> nearest_word(
    std::string_view word, std::span<const std::string> known_words);

}  // namespace lamarck
