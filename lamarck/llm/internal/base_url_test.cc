#include "lamarck/llm/internal/base_url.h"

#include <gtest/gtest.h>

namespace lamarck::llm::internal {
namespace {

TEST(BaseUrl, InsertsPathBeforeQuery) {
  EXPECT_EQ(parse_base_url("http://localhost:8080/v1//")->with_path("/chat"),
            "http://localhost:8080/v1/chat");
  EXPECT_EQ(parse_base_url("https://h/v1/?api-version=2#x")->with_path("/chat"),
            "https://h/v1/chat?api-version=2");
}

TEST(BaseUrl, HidesPasswordAndQuery) {
  EXPECT_EQ(parse_base_url("https://me:pa@ss@h:1/v1?key=secret")->shown,
            "https://h:1/v1");
  EXPECT_EQ(parse_base_url("http://me:pa/hush@h/v1")->shown, "http://h/v1");
}

TEST(BaseUrl, RecognizesLocalHosts) {
  for (const char* here : {"http://localhost/v1", "http://127.0.0.1:80",
                           "http://me@localhost:8080/v1", "http://[::1]:1/"}) {
    EXPECT_TRUE(parse_base_url(here)->is_local) << here;
  }
  for (const char* there : {"http://localhost.example/v1", "http://h/localhost",
                            "http://localhost@h/v1"}) {
    EXPECT_FALSE(parse_base_url(there)->is_local) << there;
  }
}

TEST(BaseUrl, RejectsInvalidUrlWithoutQuotingIt) {
  for (const char* wrong : {"", "localhost:8080", "ftp://secret", "http://",
                            "https://secret host", "http://secret\n"}) {
    const auto url = parse_base_url(wrong);
    ASSERT_FALSE(url) << wrong;
    EXPECT_EQ(url.error().message().find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace lamarck::llm::internal
