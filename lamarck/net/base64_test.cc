#include "lamarck/net/base64.h"

#include <gtest/gtest.h>

namespace lamarck::net {
namespace {

TEST(Base64, EncodesTestVectorsOfRfc4648) {
  EXPECT_EQ(base64_encoded(""), "");
  EXPECT_EQ(base64_encoded("f"), "Zg==");
  EXPECT_EQ(base64_encoded("fo"), "Zm8=");
  EXPECT_EQ(base64_encoded("foo"), "Zm9v");
  EXPECT_EQ(base64_encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(base64_encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, RoundTrips) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(base64_decoded(base64_encoded(bytes)), bytes) << i;
    bytes += static_cast<char>(i * 37);
  }
}

TEST(Base64, RejectsNonCanonicalText) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm 9",
                           "Z===", "=Zg=", "Zm9v-AB", "Zm9v====", "Zm9v\n"}) {
    EXPECT_EQ(base64_decoded(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace lamarck::net
