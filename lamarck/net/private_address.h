// Tells addresses of the own machine and of internal networks from public ones,
// so that untrusted URLs cannot reach them.

#pragma once

#include <string_view>

struct sockaddr;

namespace lamarck::net {

// Whether the address is loopback, private, link-local, shared (100.64/10),
// multicast, reserved or unspecified, or an IPv6 form of one of these. True for
// families other than IPv4 and IPv6.
bool is_private_address(const sockaddr& address);
// The same for text such as "10.0.0.1" or "::1". True if it is not an address.
bool is_private_address(std::string_view text);

}  // namespace lamarck::net
