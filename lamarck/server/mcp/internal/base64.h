// Base64 (RFC 4648) with padding and a strict decoder.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lamarck::mcp {

std::string base64_encoded(std::string_view bytes);

// nullopt unless the text is exactly what base64_encoded() writes: full
// padding, no other characters, and zero unused bits.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace lamarck::mcp
