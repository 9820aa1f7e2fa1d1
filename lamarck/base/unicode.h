// Text measured in characters (Unicode code points) rather than bytes. A byte
// that is not part of valid UTF-8 counts as one character.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lamarck {

std::size_t unicode_length(std::string_view text);

// Shortens the text to `max_characters`; a shortened text ends in `ellipsis`,
// which counts (one character, or empty). Never cuts inside a character or
// between a letter and its combining accents.
std::string truncate_characters(std::string_view text,
                                std::size_t max_characters,
                                std::string_view ellipsis = "…");

bool is_valid_utf8(std::string_view text);

// Replaces each invalid byte by U+FFFD.
std::string make_valid_utf8(std::string_view text);

// The length in bytes of the first character: 1 for an invalid byte, 0 if
// `text` is empty.
std::size_t first_character_size(std::string_view text);

}  // namespace lamarck
