// Recognizes paths, ids and dates in error messages, for their normalization.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::thought::internal {

// Characters of an unquoted path; its first character is ASCII.
bool is_ascii_path_char(char c);
bool is_path_char(char c);

std::string lowered(std::string_view text);

// "/", "./", "../", "~/", "C:\\" and the like.
bool starts_like_path(std::string_view text);
// Contains a slash or ends with a known file extension; the name of a scoped
// package ("@scope/name") is not a path.
bool is_path(std::string_view run);
bool is_quoted_path(std::string_view text);  // Without the quotes.

bool is_uuid(std::string_view text);           // Tests the first 36 characters.
bool is_hex_id(std::string_view word);         // Such as a commit hash.
bool is_temporary(std::string_view word);      // "tmpab12cd".
bool is_calendar_word(std::string_view word);  // "Oct", "Mon".

}  // namespace lamarck::thought::internal
