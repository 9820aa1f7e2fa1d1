// Stores ids and digests in half the space, by packing hex digits into bytes.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace lamarck::store::internal {

// Packs "evt_<lower-case UUID>" into 16 bytes; nullopt for any other id.
using PackedEventId = std::array<char, 16>;
std::optional<PackedEventId> pack_event_id(std::string_view id);
std::string unpack_event_id(std::string_view bytes);

// Packs lower-case hex digits, an even number and at least two; nullopt for any
// other text.
std::optional<std::string> pack_hex(std::string_view text);
std::string unpack_hex(std::string_view bytes);

}  // namespace lamarck::store::internal
