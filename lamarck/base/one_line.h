// Strangers' words in our sentences.

#pragma once

#include <string>
#include <string_view>

namespace lamarck {

// The text on one line and without control characters (a line end is written
// as \n, an escape as \x1b), valid UTF-8, shortened to `max_characters`.
std::string one_line(std::string_view text, std::size_t max_characters = 100);

// Likewise, in single quotes.
std::string in_quotes(std::string_view text, std::size_t max_characters = 100);

}  // namespace lamarck
