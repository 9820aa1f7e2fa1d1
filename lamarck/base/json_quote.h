// Quotes text as a JSON string.

#pragma once

#include <string>
#include <string_view>

namespace lamarck {

// Includes the quotation marks. Invalid UTF-8 becomes U+FFFD.
std::string quote_json(std::string_view text);

// Appends the quoted text to `out`.
void append_quoted_json(std::string& out, std::string_view text);

}  // namespace lamarck
