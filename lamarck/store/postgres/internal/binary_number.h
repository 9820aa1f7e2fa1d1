// Numbers in the byte order of PostgreSQL's binary form.

#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace lamarck::store::internal {

// Microseconds from 1970 to 2000, where PostgreSQL's times begin.
inline constexpr std::int64_t kPostgresEpoch = 946'684'800'000'000;

// The most significant byte first.
template <class Integer>
std::string big_endian(Integer value) {
  std::string bytes(sizeof(Integer), '\0');
  auto rest = static_cast<std::make_unsigned_t<Integer>>(value);
  for (std::size_t i = bytes.size(); i-- > 0; rest >>= 8U) {
    bytes[i] = static_cast<char>(rest & 0xFFU);
  }
  return bytes;
}

// The number in up to eight bytes, with its sign.
inline std::int64_t from_big_endian(std::string_view bytes) {
  const bool is_negative =
      !bytes.empty() && static_cast<unsigned char>(bytes[0]) >= 0x80;
  std::uint64_t value = is_negative ? ~std::uint64_t{0} : 0;
  for (const char byte : bytes) {
    value = value << 8U | static_cast<unsigned char>(byte);
  }
  return static_cast<std::int64_t>(value);
}

inline std::optional<unsigned char> parse_hex_byte(std::string_view digits) {
  unsigned char byte = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, failure] = std::from_chars(digits.data(), end, byte, 16);
  if (failure != std::errc() || rest != end) return std::nullopt;
  return byte;
}

}  // namespace lamarck::store::internal
