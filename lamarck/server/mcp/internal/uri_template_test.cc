#include "lamarck/server/mcp/internal/uri_template.h"

#include <gtest/gtest.h>

namespace lamarck::mcp {
namespace {

using Values = UriTemplate::Values;

TEST(UriTemplate, ExtractsVariables) {
  const auto graph = UriTemplate::parse("thought://session/{id}/graph").value();
  EXPECT_EQ(graph.match("thought://session/s1/graph"), (Values{{"id", "s1"}}));
  EXPECT_EQ(graph.match("thought://session/a%20b%2Fc/graph"),
            (Values{{"id", "a b/c"}}));
  const auto two = UriTemplate::parse("x://{a}/b/{c}").value();
  EXPECT_EQ(two.match("x://1/b/2"), (Values{{"a", "1"}, {"c", "2"}}));
}

TEST(UriTemplate, RejectsOtherUris) {
  const auto graph = UriTemplate::parse("t://{id}/graph").value();
  for (const char* uri :
       {"", "t://", "t:///graph", "t://a/b/graph", "t://a/graphs", "t://a",
        "u://a/graph", "t://%zz/graph", "t://%4/graph", "t://a?b/graph"}) {
    EXPECT_EQ(graph.match(uri), std::nullopt) << uri;
  }
  const auto plain = UriTemplate::parse("t://all").value();
  EXPECT_TRUE(plain.match("t://all").has_value());
  EXPECT_FALSE(plain.match("t://all/").has_value());
}

TEST(UriTemplate, RejectsTemplatesBeyondLevelOne) {
  for (const char* text : {"t://{", "t://{}", "t://{+path}", "t://{a,b}"}) {
    EXPECT_FALSE(UriTemplate::parse(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace lamarck::mcp
