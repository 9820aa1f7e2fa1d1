// Text as people count it: in characters (Unicode code points), not bytes.
//
// A byte that is not part of valid UTF-8 counts as one character.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lamarck {

std::size_t unicode_length(std::string_view text);

// The first `max_characters` characters; when something was cut the last of
// them is `ellipsis` (one character, or empty). Never cuts inside a character,
// nor between a letter and its combining accents.
std::string truncate_characters(std::string_view text,
                                std::size_t max_characters,
                                std::string_view ellipsis = "…");

bool is_valid_utf8(std::string_view text);

// Each invalid byte replaced by U+FFFD.
std::string make_valid_utf8(std::string_view text);

// The byte length of the character that begins `text`: 1 for an invalid byte,
// 0 at the end.
std::size_t first_character_size(std::string_view text);

}  // namespace lamarck
