#include "lamarck/net/private_address.h"

#include <gtest/gtest.h>

namespace lamarck::net {
namespace {

TEST(PrivateAddress, KnowsInternalNetworks) {
  for (const char* address : {"127.0.0.1",
                              "127.9.9.9",
                              "0.0.0.0",
                              "10.1.2.3",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.168.1.1",
                              "169.254.169.254",
                              "100.64.0.1",
                              "224.0.0.1",
                              "255.255.255.255",
                              "::1",
                              "::",
                              "fe80::1",
                              "fc00::1",
                              "::ffff:127.0.0.1",
                              "::ffff:10.0.0.1",
                              "64:ff9b::7f00:1",
                              "2002:7f00:1::",
                              "ff02::1",
                              "2001:db8::1",
                              "localhost",
                              ""}) {
    EXPECT_TRUE(is_private_address(address)) << address;
  }
}

TEST(PrivateAddress, KnowsPublicAddresses) {
  for (const char* address :
       {"8.8.8.8", "172.32.0.1", "172.15.255.255", "100.128.0.1", "1.1.1.1",
        "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"}) {
    EXPECT_FALSE(is_private_address(address)) << address;
  }
}

}  // namespace
}  // namespace lamarck::net
