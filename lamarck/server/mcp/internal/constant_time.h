// Comparison of secrets that takes the same time wherever they differ.

#pragma once

#include <openssl/crypto.h>

#include <string_view>

namespace lamarck::mcp {

inline bool is_equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace lamarck::mcp
