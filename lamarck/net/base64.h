// Base64 (RFC 4648) with padding.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lamarck::net {

std::string base64_encoded(std::string_view bytes);

// Returns nothing unless the text is exactly what `base64_encoded` writes: full
// padding, no foreign characters, no stray bits after the end.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace lamarck::net
