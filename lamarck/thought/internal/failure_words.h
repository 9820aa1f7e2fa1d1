// What the words of a message look like, for its normalization.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::thought::internal {

// What an unquoted path consists of; it begins with one of ASCII.
bool is_ascii_path_char(char c);
bool is_path_char(char c);

std::string lowered(std::string_view text);

// "/", "./", "../", "~/", "C:\\" and the like.
bool begins_like_path(std::string_view text);
// Has a slash or the ending of a file; a scoped package is none.
bool is_path(std::string_view run);
bool is_quoted_path(std::string_view text);  // What is between the quotes.

bool is_uuid(std::string_view text);           // The first 36 characters of it.
bool is_hex_id(std::string_view word);         // Such as a commit.
bool is_temporary(std::string_view word);      // "tmpab12cd".
bool is_calendar_word(std::string_view word);  // "Oct", "Mon".

}  // namespace lamarck::thought::internal
