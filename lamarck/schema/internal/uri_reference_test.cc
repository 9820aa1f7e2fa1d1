#include "lamarck/schema/internal/uri_reference.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lamarck::schema {
namespace {

// RFC 3986, 5.4.
TEST(UriReference, ResolvesExamplesOfRfc3986) {
  const std::vector<std::pair<std::string, std::string>> examples = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {"", "http://a/b/c/d;p?q"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {".", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"g;x=1/../y", "http://a/b/c/y"},
  };
  for (const auto& [reference, expected] : examples) {
    EXPECT_EQ(join_uri(resolve_uri("http://a/b/c/d;p?q", reference)), expected)
        << reference;
  }
}

TEST(UriReference, KeepsUrnsAndPlainNames) {
  EXPECT_EQ(join_uri(resolve_uri("urn:a:b", "#c")), "urn:a:b#c");
  EXPECT_EQ(join_uri(resolve_uri("", "point.json#a")), "point.json#a");
  EXPECT_EQ(join_uri(resolve_uri("a/b.json", "c.json")), "a/c.json");
}

TEST(UriReference, DecodesPercentCodes) {
  EXPECT_EQ(percent_decode("a%22b%2"), "a\"b%2");
  EXPECT_EQ(percent_decode("%25%zz"), "%%zz");
}

}  // namespace
}  // namespace lamarck::schema
