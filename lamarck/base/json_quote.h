// Text as a JSON string.

#pragma once

#include <string>
#include <string_view>

namespace lamarck {

// In quotation marks. Bytes that are not UTF-8 become U+FFFD.
std::string quote_json(std::string_view text);

// Likewise, at the end of `out`.
void append_quoted_json(std::string& out, std::string_view text);

}  // namespace lamarck
