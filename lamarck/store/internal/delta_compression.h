// Compresses a text against a similar earlier one.
//
// Answers of one kind differ only in ids and counts. A text is stored as copies
// of pieces of a pattern (an earlier text) and of itself, with the new bytes in
// between, as in LZ77.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lamarck::store::internal {

// Compresses `text` against the first 32 KiB of `pattern`.
std::string pack_like(std::string_view text, std::string_view pattern);

// The inverse; nullopt if `packed` is not valid for this pattern.
std::optional<std::string> unpack_like(std::string_view packed,
                                       std::string_view pattern);

}  // namespace lamarck::store::internal
