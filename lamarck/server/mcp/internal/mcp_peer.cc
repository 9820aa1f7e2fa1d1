#include "lamarck/server/mcp/internal/mcp_peer.h"

#include <arpa/inet.h>

#include <array>

namespace lamarck::mcp {
namespace {

std::string to_text(int family, const void* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const char* const written =
      inet_ntop(family, bytes, text.data(), text.size());
  return written == nullptr ? "" : written;
}

}  // namespace

std::string peer_address(std::string_view remote_address) {
  // An address may end in '%' and the name of an interface.
  std::string text(remote_address.substr(0, remote_address.find('%')));
  in6_addr bytes{};
  if (inet_pton(AF_INET6, text.c_str(), &bytes) != 1) return text;
  if (IN6_IS_ADDR_V4MAPPED(&bytes)) {
    return to_text(AF_INET, &bytes.s6_addr[12]);
  }
  // ::1 is this machine; its network has nothing else.
  if (IN6_IS_ADDR_LOOPBACK(&bytes)) return text;
  for (int i = 8; i < 16; ++i) bytes.s6_addr[i] = 0;
  return to_text(AF_INET6, &bytes) + "/64";
}

McpPeer make_peer(const net::HttpRequest& request) {
  return {.address = request.identity.empty()
                         ? peer_address(request.remote_address)
                         : "token " + request.identity,
          .connection = request.connection};
}

}  // namespace lamarck::mcp
