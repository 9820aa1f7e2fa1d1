#include "lamarck/server/mcp/internal/mcp_id_scan.h"

#include <gtest/gtest.h>

namespace lamarck::mcp {
namespace {

TEST(McpIdScan, FindsIdInUnparsableText) {
  EXPECT_EQ(scan_request_id(R"({"id":7,"method":"m","params":"\ud800"})"), "7");
  EXPECT_EQ(scan_request_id(R"( {"method" : "m", "id" : "a\"b" , "x":1e400})"),
            R"("a\"b")");
  EXPECT_EQ(scan_request_id(R"({"id":-3,"method":"m","params":{"id":1)"), "-3");
  EXPECT_EQ(scan_request_id(R"({"params":{"id":1,"t":"\"id\":2"},"method":"m",
                               "id":5})"),
            "5");
  EXPECT_EQ(
      scan_request_id(R"({"method":"m","params":)" + std::string(100, '[') +
                      std::string(100, ']') + R"(,"id":9})"),
      "9");
}

TEST(McpIdScan, FindsNoAmbiguousId) {
  for (const char* text : {"",
                           " ",
                           "7",
                           "[",
                           "]",
                           "}",
                           "{",
                           R"({"id)",
                           R"({"id")",
                           R"({"id":)",
                           R"({"id":1)",
                           R"({"id":1,"result":"\ud800"})",
                           R"({"id":1,"id":2,"method":"m")",
                           R"({"id":1.5,"method":"m")",
                           R"({"id":{"a":1},"method":"m")",
                           R"({"id":"\ud800","method":"m"})",
                           R"({"id":tru,"method":"m"})",
                           R"([{"id":1,"method":"m"}])",
                           R"({"a":{"id":1,"method":"m"}})",
                           R"({"x":"id","method":"m"})",
                           R"({}"id":1,"method":"m")"}) {
    EXPECT_EQ(scan_request_id(text), "") << text;
  }
}

}  // namespace
}  // namespace lamarck::mcp
