#include "lamarck/server/mcp/internal/mcp_peer.h"

#include <gtest/gtest.h>

namespace lamarck::mcp {
namespace {

TEST(McpPeer, ReducesAddressToOneClient) {
  EXPECT_EQ(peer_address("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(peer_address("::1"), "::1");
  EXPECT_EQ(peer_address("::ffff:10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(peer_address("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(peer_address("2001:db8:1:2:ffff::9"), "2001:db8:1:2::/64");
  EXPECT_EQ(peer_address("fe80::1%eth0"), "fe80::/64");
  EXPECT_EQ(peer_address(""), "");
}

TEST(McpPeer, IgnoresHeadersThatClientsCanInvent) {
  net::HttpRequest request;
  request.remote_address = "10.0.0.7";
  request.connection = 3;
  request.headers = {{"X-Forwarded-For", "1.2.3.4"},
                     {"X-Real-IP", "1.2.3.4"},
                     {"Forwarded", "for=1.2.3.4"}};
  EXPECT_EQ(make_peer(request).address, "10.0.0.7");
  EXPECT_EQ(make_peer(request).connection, 3u);
}

}  // namespace
}  // namespace lamarck::mcp
