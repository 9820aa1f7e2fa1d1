// The client behind an HTTP request, as far as the server can tell.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/net/http_server.h"

namespace lamarck::mcp {

struct McpPeer {
  // What limits count by: the token of the client if one was checked, because
  // many clients can share an address and one can have many; else the address,
  // see peer_address.
  std::string address;
  std::uint64_t connection = 0;  // HttpRequest::connection.
};

// Takes the address of the connection, not of a header such as X-Forwarded-For,
// which a client can invent.
McpPeer make_peer(const net::HttpRequest& request);

// The addresses of one client are equal: an IPv6 address is reduced to its
// first 64 bits, because a single machine usually owns all addresses of such a
// network; IPv4 addresses that are written as IPv6 become IPv4.
std::string peer_address(std::string_view remote_address);

}  // namespace lamarck::mcp
