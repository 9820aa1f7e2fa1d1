#include "lamarck/net/private_address.h"

#include <sys/socket.h>
#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace lamarck::net {
namespace {

struct Range {
  std::uint32_t network;
  int bits;
};
// The special-purpose registry of IANA (RFC 6890).
constexpr std::array kPrivateRanges = {
    Range{0x00000000, 8},  Range{0x0a000000, 8},  Range{0x64400000, 10},
    Range{0x7f000000, 8},  Range{0xa9fe0000, 16}, Range{0xac100000, 12},
    Range{0xc0000000, 24}, Range{0xc0000200, 24}, Range{0xc0a80000, 16},
    Range{0xc6120000, 15}, Range{0xc6336400, 24}, Range{0xcb007100, 24},
    Range{0xe0000000, 4},  Range{0xf0000000, 4},
};

bool is_private_v4(std::uint32_t address) {
  return std::ranges::any_of(kPrivateRanges, [&](const Range& range) {
    return (address ^ range.network) >> (32 - range.bits) == 0;
  });
}

std::uint32_t word_at(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

bool is_private_v6(const in6_addr& address) {
  const std::uint8_t* bytes = address.s6_addr;
  const auto starts_with = [&](std::initializer_list<std::uint8_t> prefix) {
    return std::equal(prefix.begin(), prefix.end(), bytes);
  };
  // ::/96 and ::ffff:0:0/96 contain an IPv4 address; so do 64:ff9b::/96
  // (translation) and 2002::/16 (tunnels).
  if (starts_with({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) ||
      starts_with({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}) ||
      starts_with({0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return is_private_v4(word_at(bytes + 12));
  }
  if (starts_with({0x20, 0x02})) return is_private_v4(word_at(bytes + 2));
  // Only 2000::/3 is assigned for public use; 2001:db8::/32 is for examples.
  return (bytes[0] & 0xe0) != 0x20 || starts_with({0x20, 0x01, 0x0d, 0xb8});
}

}  // namespace

bool is_private_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return is_private_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    return is_private_v6(v6.sin6_addr);
  }
  return true;
}

bool is_private_address(std::string_view text) {
  const std::string copy(text);
  in_addr v4{};
  if (inet_pton(AF_INET, copy.c_str(), &v4) == 1) {
    return is_private_v4(ntohl(v4.s_addr));
  }
  in6_addr v6{};
  if (inet_pton(AF_INET6, copy.c_str(), &v6) == 1) return is_private_v6(v6);
  return true;
}

}  // namespace lamarck::net
