// Makes untrusted text safe to print: on a terminal, in messages and logs, in
// comments of generated code, in HTML, SVG and DOT files.

#pragma once

#include <string>
#include <string_view>

namespace lamarck {

// Returns the text on one line of valid UTF-8, shortened to `max_characters`
// before escaping. Escapes what a terminal obeys (\n, \x1b, \u009b) and what
// reorders or breaks lines (\u202e, \u2028).
std::string one_line(std::string_view text, std::size_t max_characters = 100);

// The same for text of several lines, such as a program: keeps line ends and
// tabs, and the whole length.
std::string safe_lines(std::string_view text);

// Like `one_line`, in single quotes.
std::string in_quotes(std::string_view text, std::size_t max_characters = 100);

// Escapes text for HTML and XML, between tags and in quoted attributes: escapes
// & < > " ', replaces invalid UTF-8 by U+FFFD, and replaces characters that XML
// forbids by spaces. Keeps line ends and tabs.
std::string markup_text(std::string_view text);

// Escapes text for a quoted string of the DOT language, without the quotes.
std::string dot_text(std::string_view text);

}  // namespace lamarck
