#include "lamarck/schema/internal/string_format.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lamarck::schema {
namespace {

struct FormatCase {
  std::string name;
  std::vector<std::string> valid;
  std::vector<std::string> invalid;
};

const std::vector<FormatCase> kCases = {
    {"date-time",
     {"1963-06-19T08:30:06.283185Z", "1990-12-31T15:59:50.123-08:00",
      "1998-12-31T23:59:60Z", "1963-06-19t08:30:06z"},
     {"1998-12-31T22:59:60Z", "1990-02-31T15:59:59.123Z", "06/19/1963 08:30",
      "2013-350T01:01:01", "1963-06-19T08:30:06", "1963-06-19T08:30:06+24:00"}},
    {"date",
     {"2020-02-29", "2000-02-29"},
     {"2021-02-29", "1900-02-29", "06/19", "2020-13-01", "2020-1-1"}},
    {"time",
     {"08:30:06Z", "23:59:60Z", "15:59:60-08:00", "08:30:06.5+00:20"},
     {"24:00:00Z", "08:30:06", "8:30:06Z", "12:00:00.Z", "22:59:60Z"}},
    {"duration",
     {"P4DT12H30M5S", "P4Y", "PT0S", "P1M", "P2W", "PT36H"},
     {"PT1D", "P", "P1YT", "P2D1Y", "P1Y2W", "P1", "4D", "P1D2H", "P1Y2D"}},
    {"email",
     {"joe.bloggs@example.com", "te~st@example.com",
      "\"joe bloggs\"@example.com", "joe@[127.0.0.1]", "joe@[IPv6:::1]"},
     {"2962", ".test@example.com", "te..st@example.com", "joe@ex ample.com",
      "joe@[127.0.0.300]"}},
    {"hostname",
     {"www.example.com", "xn--4gbwdl.xn--wgbh1c", "a-b.c1"},
     {"-bad", "bad-", "not_valid", "", ".", std::string(64, 'a'), "a..b"}},
    {"ipv4",
     {"192.168.0.1", "0.0.0.0"},
     {"127.0.0.0.1", "256.1.1.1", "127.0", "0x7f.0.0.1", "087.10.0.1", "1."}},
    {"ipv6",
     {"::1", "::", "1:2:3:4:5:6:7:8", "::ffff:192.168.0.1", "1::8"},
     {"12345::", "1:1:1:1:1:1:1:1:1", ":2:3:4:5:6:7:8", "1::2::3", "1:2",
      "fe80::a%eth1", "1:2:3:4:1.2.3", ":::"}},
    {"uri",
     {"http://foo.bar/?baz=qux#quux", "urn:isbn:1", "http://[::1]:80/"},
     {"//foo", "/abc", "\\\\WINDOWS", "http:// a", "bar,baz:foo", "http://[1/",
      "http://x/<>"}},
    {"uri-reference",
     {"/abc", "//foo.bar/", "#frag", "", "a?b=c%20d"},
     {"\\\\W", "#fr\\ag", "a%2", "1a:b"}},
    {"uri-template",
     {"http://example.com/{term:1}/{term}", "{?a,b*}", "x"},
     {"http://example.com/{term:1}/{term", "{", "{}", "a}b"}},
    {"uuid",
     {"2EB8AA08-AA98-11EA-B4AA-73B441D16380"},
     {"2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380",
      "2eb8aa08-aa98-11ea-b4ga-73b441d16380"}},
    {"json-pointer", {"", "/foo/0", "/a~1b/~0", "//"}, {"a", "/~", "/~2", "#"}},
    {"regex", {"([abc])+\\s+$"}, {"^(abc]", "(?<=a)b"}},
};

TEST(StringFormat, AcceptsValidAndRejectsInvalidText) {
  for (const FormatCase& one : kCases) {
    const StringFormat* format = find_string_format(one.name);
    ASSERT_NE(format, nullptr) << one.name;
    EXPECT_TRUE(format->matches(format->example)) << one.name;
    for (const std::string& text : one.valid) {
      EXPECT_TRUE(format->matches(text)) << one.name << ": " << text;
    }
    for (const std::string& text : one.invalid) {
      EXPECT_FALSE(format->matches(text)) << one.name << ": " << text;
    }
  }
  EXPECT_EQ(string_formats().size(), kCases.size());
  EXPECT_EQ(find_string_format("colour"), nullptr);
}

}  // namespace
}  // namespace lamarck::schema
