#include "lamarck/server/mcp/outcome.h"

#include <nlohmann/json.hpp>

namespace lamarck::mcp {
namespace {

Json text_block(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

}  // namespace

Complete tool_result(const Json& structured) {
  const std::string text = dump_json(structured);
  return {R"({"content":[)" + dump_json(text_block(text)) +
          R"(],"structuredContent":)" + text + "}"};
}

Complete tool_text(std::string_view text) {
  return {R"({"content":[)" + dump_json(text_block(text)) + "]}"};
}

Complete tool_error(std::string_view text) {
  return {R"({"content":[)" + dump_json(text_block(text)) +
          R"(],"isError":true})"};
}

}  // namespace lamarck::mcp
