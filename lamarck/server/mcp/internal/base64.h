// Base64 (RFC 4648), written with padding and read without mercy.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lamarck::mcp {

std::string base64_encoded(std::string_view bytes);

// Nothing unless the text is exactly what `base64_encoded` writes: full
// padding, no foreign characters, no stray bits behind the end.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace lamarck::mcp
