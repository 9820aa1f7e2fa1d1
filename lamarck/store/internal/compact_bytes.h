// Ids and digests in half the space: hex digits as the bytes they stand for.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace lamarck::store::internal {

// "evt_" and a UUID in lower case as its 16 bytes; nothing for any other id.
using PackedEventId = std::array<char, 16>;
std::optional<PackedEventId> pack_event_id(std::string_view id);
std::string unpack_event_id(std::string_view bytes);

// Hex digits in lower case, an even number of them and at least two, as bytes;
// nothing for any other text.
std::optional<std::string> pack_hex(std::string_view text);
std::string unpack_hex(std::string_view bytes);

}  // namespace lamarck::store::internal
