// Texts that are much like an earlier one, in few bytes.
//
// Answers of one kind differ in ids and counts only. A text is stored as pieces
// of a pattern, which is an earlier text, and of itself, with the bytes that
// are new in between.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lamarck::store::internal {

// `text` written by means of `pattern`; only its first 32 KiB are used.
std::string pack_like(std::string_view text, std::string_view pattern);

// The inverse. Nothing if `packed` was not made with this pattern.
std::optional<std::string> unpack_like(std::string_view packed,
                                       std::string_view pattern);

}  // namespace lamarck::store::internal
