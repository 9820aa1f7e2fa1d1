#include "lamarck/server/mcp/outcome.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/json_quote.h"

namespace lamarck::mcp {
namespace {

std::string text_block(std::string_view text) {
  return R"({"text":)" + quote_json(text) + R"(,"type":"text"})";
}

}  // namespace

Complete tool_result(const Json& structured) {
  const std::string text = dump_json(structured);
  return {R"({"content":[)" + text_block(text) + R"(],"structuredContent":)" +
          text + "}"};
}

Complete tool_text(std::string_view text) {
  return {R"({"content":[)" + text_block(text) + "]}"};
}

Complete tool_error(std::string_view text) {
  return {R"({"content":[)" + text_block(text) + R"(],"isError":true})"};
}

}  // namespace lamarck::mcp
