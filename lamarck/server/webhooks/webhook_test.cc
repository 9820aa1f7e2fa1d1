#include <gtest/gtest.h>

#include "lamarck/server/webhooks/webhook_address.h"
#include "lamarck/server/webhooks/webhook_sender.h"
#include "lamarck/server/webhooks/webhook_signature.h"

namespace lamarck::server {
namespace {

TEST(WebhookAddress, KnowsPrivateAddresses) {
  for (const char* const address : {"127.0.0.1",
                                    "10.1.2.3",
                                    "172.16.0.1",
                                    "172.31.255.255",
                                    "192.168.0.1",
                                    "169.254.169.254",
                                    "100.64.0.1",
                                    "0.0.0.0",
                                    "224.0.0.1",
                                    "255.255.255.255",
                                    "::1",
                                    "::",
                                    "fe80::1",
                                    "fc00::1",
                                    "fd12::1",
                                    "ff02::1",
                                    "::ffff:10.0.0.1",
                                    "::ffff:127.0.0.1",
                                    "64:ff9b::a00:1",
                                    "2002:7f00:1::",
                                    "2001:db8::1",
                                    "not an address",
                                    ""}) {
    EXPECT_FALSE(is_public_address(address)) << address;
  }
  for (const char* const address :
       {"8.8.8.8", "172.32.0.1", "100.128.0.1", "1.1.1.1", "2606:4700::1111",
        "::ffff:8.8.8.8", "64:ff9b::808:808"}) {
    EXPECT_TRUE(is_public_address(address)) << address;
  }
}

TEST(WebhookAddress, ChecksUrls) {
  const WebhookUrl url =
      parse_webhook_url("https://example.org/hook?x=1", false).value();
  EXPECT_EQ(url.host, "example.org");
  EXPECT_EQ(url.port, 443);
  EXPECT_EQ(parse_webhook_url("http://127.0.0.1:81/", true)->port, 81);
  for (const char* const wrong :
       {"", "example.org", "ftp://example.org/", "file:///etc/passwd",
        "http://user:pass@example.org/", "http://127.0.0.1/", "http://[::1]/",
        "http://localhost/", "http://2130706433/", "http://0x7f.1/",
        "gopher://example.org/"}) {
    EXPECT_FALSE(parse_webhook_url(wrong, false)) << wrong;
  }
}

TEST(WebhookAddress, RefusesNamesThatResolveToPrivateAddresses) {
  const WebhookUrl url{
      .url = "http://localhost/", .host = "localhost", .port = 80};
  EXPECT_FALSE(resolve_webhook_host(url, false));
  EXPECT_TRUE(resolve_webhook_host(url, true));
}

// The example of the Standard Webhooks specification.
TEST(WebhookSignature, AgreesWithTheStandard) {
  EXPECT_EQ(webhook_signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                              "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
                              R"({"test": 2432232314})"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSignature, SecretsDiffer) {
  EXPECT_NE(make_webhook_secret(), make_webhook_secret());
  EXPECT_TRUE(make_webhook_secret().starts_with("whsec_"));
}

TEST(WebhookSender, DelaysDoubleUpToALimit) {
  const WebhookOptions options;
  EXPECT_EQ(retry_delay(options, 1).count(), 1);
  EXPECT_EQ(retry_delay(options, 2).count(), 2);
  EXPECT_EQ(retry_delay(options, 5).count(), 16);
  EXPECT_EQ(retry_delay(options, 1'000).count(), 3'600);
}

}  // namespace
}  // namespace lamarck::server
