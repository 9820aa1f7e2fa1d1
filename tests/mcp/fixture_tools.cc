#include "tests/mcp/fixture_tools.h"

#include <chrono>
#include <utility>
#include <nlohmann/json.hpp>

namespace lamarck::mcp {
namespace {

constexpr std::chrono::milliseconds kStep{50};
constexpr std::string_view kWav =
    "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQgAAAAAAAAAAAAAAA==";
constexpr std::string_view kFullSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
    R"("type":"object","$defs":{"address":{"$anchor":"addressDef",)"
    R"("type":"object","properties":{"street":{"type":"string"},)"
    R"("city":{"type":"string"}}}},"properties":{"name":{"type":"string"},)"
    R"("address":{"$ref":"#/$defs/address"},"contactMethod":)"
    R"({"type":"string","enum":["phone","email"]},"phone":{"type":"string"},)"
    R"("email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},)"
    R"({"required":["email"]}]}],"if":{"properties":{"contactMethod":)"
    R"({"const":"phone"}},"required":["contactMethod"]},"then":)"
    R"({"required":["phone"]},"else":{"required":["email"]},)"
    R"("additionalProperties":false})";
constexpr std::string_view kRegionSchema =
    R"({"type":"object","properties":{"region":{"type":"string",)"
    R"("x-mcp-header":"Region"}},"additionalProperties":false})";

Json text_block(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}
Json image_block() {
  return {{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}};
}
Json resource_block(std::string_view uri) {
  return {{"type", "resource"},
          {"resource",
           {{"uri", uri},
            {"mimeType", "text/plain"},
            {"text", "This resource is embedded in a result."}}}};
}

Complete blocks(const Json& content) {
  return {dump_json({{"content", content}})};
}

Outcome report_progress(CallContext& context) {
  for (const double done : {0.0, 50.0, 100.0}) {
    context.progress(done, 100.0, "");
    if (context.cancel().wait_for(kStep)) break;
  }
  return tool_text("The work is done.");
}

Outcome log_three_times(CallContext& context) {
  for (const char* words :
       {"The tool starts", "The tool continues", "The tool ends"}) {
    context.log(LogLevel::Info, "fixture", words);
    if (context.cancel().wait_for(kStep)) break;
  }
  return tool_text("Three messages were logged.");
}

Outcome close_stream_then_finish(CallContext& context) {
  context.close_stream();
  context.cancel().wait_for(2 * kStep);
  return tool_text("The result was sent after the connection was closed.");
}

void add_plain_tools(Registry& registry) {
  const auto add = [&](std::string name, std::string description,
                       const Json& content) {
    add_tool(
        registry, std::move(name), std::move(description), kNoArguments,
        [result = blocks(content)](CallContext&, const Json&) -> Outcome {
          return result;
        },
        true);
  };
  add("test_simple_text", "Returns a text.",
      Json::array({text_block("This is a simple text.")}));
  add("test_image_content", "Returns a picture.", Json::array({image_block()}));
  add("test_audio_content", "Returns a sound.",
      Json::array(
          {{{"type", "audio"}, {"data", kWav}, {"mimeType", "audio/wav"}}}));
  add("test_embedded_resource", "Returns a resource.",
      Json::array({resource_block("test://embedded-resource")}));
  add("test_multiple_content_types", "Returns a text, a picture, a resource.",
      Json::array({text_block("Several kinds of content:"), image_block(),
                   resource_block("test://mixed-content-resource")}));
}

void add_trigger(Registry& registry, std::string name,
                 const FixtureServer& server, void (McpServer::*notify)()) {
  add_tool(registry, std::move(name), "Announces that a list has changed.",
           kNoArguments,
           [server, notify](CallContext&, const Json&) -> Outcome {
             if (McpServer* it = server->load(); it != nullptr) (it->*notify)();
             return tool_text("Announced.");
           });
}

}  // namespace

void add_tool(Registry& registry, std::string name, std::string description,
              std::string_view input_schema, ToolFunction call,
              bool is_nonblocking) {
  Tool tool;
  tool.name = std::move(name);
  tool.description = std::move(description);
  tool.input_schema = input_schema;
  tool.read_only = true;
  tool.is_nonblocking = is_nonblocking;
  tool.call = std::move(call);
  registry.tools.push_back(std::move(tool));
}

void add_content_tools(Registry& registry, const FixtureServer& server) {
  add_plain_tools(registry);
  const auto add = [&](std::string name, std::string description,
                       Outcome (*call)(CallContext&)) {
    add_tool(
        registry, std::move(name), std::move(description), kNoArguments,
        [call](CallContext& context, const Json&) { return call(context); });
  };
  add("test_error_handling", "Always fails.", [](CallContext&) -> Outcome {
    return tool_error("This tool fails on purpose.");
  });
  add("test_tool_with_progress", "Reports progress.", report_progress);
  add("test_tool_with_logging", "Logs while it works.", log_three_times);
  add("test_logging_tool", "Logs once.", [](CallContext& context) -> Outcome {
    context.log(LogLevel::Info, "fixture", "The tool was called");
    return tool_text("Logged, if the client asked for log messages.");
  });
  add("test_reconnection", "Closes the connection before its result.",
      close_stream_then_finish);
  add_trigger(registry, "test_trigger_tool_change", server,
              &McpServer::tools_changed);
  add_trigger(registry, "test_trigger_prompt_change", server,
              &McpServer::prompts_changed);
  add_tool(registry, "json_schema_2020_12_tool",
           "Has a schema with many keywords.", kFullSchema,
           [](CallContext&, const Json& arguments) -> Outcome {
             return tool_text("Accepted: " + dump_json(arguments));
           });
  add_tool(registry, "test_x_mcp_header",
           "Requires its region in a header as well.", kRegionSchema,
           [](CallContext&, const Json& arguments) -> Outcome {
             return tool_text("Accepted: " + dump_json(arguments));
           });
}

Registry fixture_registry(const FixtureServer& server) {
  Registry registry;
  registry.server_name = "lamarck-conformance-fixture";
  registry.server_title = "Conformance fixture";
  registry.server_version = "1.0.0";
  add_content_tools(registry, server);
  add_asking_tools(registry);
  add_task_tools(registry);
  add_resources(registry);
  add_prompts(registry);
  return registry;
}

}  // namespace lamarck::mcp
