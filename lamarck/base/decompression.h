// Decompresses gzip (RFC 1952) and Zstandard (RFC 8878) data.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck {

// Whether the data begins as gzip or Zstandard data does.
bool is_compressed(std::string_view bytes);

// Decompresses all parts of the data. Fails with DataDamaged if it is cut short
// or corrupt, and with InvalidArgument if the result has more than `max_bytes`.
// REQUIRES: is_compressed(bytes).
Result<std::string> decompress(std::string_view bytes, std::uint64_t max_bytes);

}  // namespace lamarck
