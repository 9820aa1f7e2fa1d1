// Compares secrets in a time that does not depend on where they differ.

#pragma once

#include <string_view>

namespace lamarck::mcp {

inline bool is_equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

}  // namespace lamarck::mcp
