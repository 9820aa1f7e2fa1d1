// Makes untrusted text safe to quote in messages and logs.

#pragma once

#include <string>
#include <string_view>

namespace lamarck {

// Returns the text on one line of valid UTF-8, with control characters escaped
// (\n, \x1b) and shortened to `max_characters` before escaping.
std::string one_line(std::string_view text, std::size_t max_characters = 100);

// Like `one_line`, in single quotes.
std::string in_quotes(std::string_view text, std::size_t max_characters = 100);

}  // namespace lamarck
