#include "lamarck/server/mcp/internal/mcp_envelope.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/server/mcp/internal/mcp_fixture.h"
#include "lamarck/server/mcp/internal/mcp_status.h"

namespace lamarck::mcp {
namespace {

McpMessage make_message(Json json) {
  return std::get<McpMessage>(read_message(std::move(json)));
}

TEST(McpClassify, BodyTakesPrecedenceOverHeader) {
  struct Row {
    Json json;
    const char* header;
    McpRoute route;
  };
  const Json modern = modern_request(1, "tools/list", kNone, kNone);
  const Json plain = legacy_request(1, "tools/list", kNone);
  const Json initialize = legacy_request(1, "initialize", kNone);
  Json odd_claim = plain;
  odd_claim["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = 7;
  const std::vector<Row> rows = {
      {modern, "", McpRoute::Modern},
      {modern, "2025-11-25", McpRoute::Modern},
      {modern_request(1, "initialize", kNone, kNone), "", McpRoute::Modern},
      {odd_claim, "", McpRoute::Modern},
      {plain, "2026-07-28", McpRoute::Unclaimed},
      {plain, "2027-01-01", McpRoute::Unclaimed},
      {plain, "2025-11-25", McpRoute::Session},
      {plain, "", McpRoute::Session},
      {plain, "v999.0.0", McpRoute::Session},
      {initialize, "", McpRoute::Initialize},
      {initialize, "2025-11-25", McpRoute::Initialize},
      {{{"jsonrpc", "2.0"}, {"id", 1}, {"result", kNone}},
       "",
       McpRoute::Session},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(classify_post(make_message(row.json), row.header), row.route)
        << row.json << " " << row.header;
  }
}

TEST(McpMessage, RejectsInvalidJsonRpc) {
  const auto code_of = [](const Json& json) {
    const auto read = read_message(json);
    const auto* refusal = std::get_if<McpRefusal>(&read);
    return refusal == nullptr ? 0 : refusal->failure.code;
  };
  const Json good = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", "x"}};
  const auto with = [&](const char* name, const Json& value) {
    Json json = good;
    json[name] = value;
    return json;
  };
  EXPECT_EQ(code_of(good), 0);
  EXPECT_EQ(code_of(with("id", "a")), 0);
  EXPECT_EQ(code_of(with("id", 1794768517058)), 0);
  EXPECT_EQ(code_of(with("id", nullptr)), kInvalidRequest);
  EXPECT_EQ(code_of(with("id", 1.5)), kInvalidRequest);
  EXPECT_EQ(code_of(with("jsonrpc", "1.0")), kInvalidRequest);
  EXPECT_EQ(code_of(with("method", 1)), kInvalidRequest);
  EXPECT_EQ(code_of(with("params", Json::array())), kInvalidParams);
  EXPECT_EQ(code_of({{"jsonrpc", "2.0"}, {"id", 1}}), kInvalidRequest);
}

TEST(McpMessage, PreservesTypeOfId) {
  EXPECT_EQ(make_message(legacy_request(0, "x", kNone)).id, "0");
  Json text = legacy_request(0, "x", kNone);
  text["id"] = "0";
  EXPECT_EQ(make_message(text).id, "\"0\"");
}

TEST(McpEnvelope, ReadsClientCapabilities) {
  const auto client = [](const Json& capabilities) {
    return read_capabilities(capabilities, Era::Modern);
  };
  EXPECT_TRUE(client({{"elicitation", kNone}}).elicitation_form);
  EXPECT_FALSE(client({{"elicitation", kNone}}).elicitation_url);
  EXPECT_FALSE(client({{"elicitation", {{"url", kNone}}}}).elicitation_form);
  EXPECT_TRUE(client({{"elicitation", {{"url", kNone}}}}).elicitation_url);
  EXPECT_TRUE(client({{"sampling", kNone}}).sampling);
  EXPECT_FALSE(client({{"sampling", nullptr}}).sampling);
  const Json tasks = {
      {"extensions", {{"io.modelcontextprotocol/tasks", kNone}}}};
  EXPECT_TRUE(client(tasks).tasks);
  EXPECT_FALSE(read_capabilities(tasks, Era::Legacy).tasks);
}

TEST(McpEnvelope, RejectsUnknownLogLevel) {
  Json json = modern_request(1, "x", kNone, kNone);
  json["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "loud";
  EXPECT_TRUE(std::holds_alternative<Failure>(
      read_modern_envelope(make_message(json))));
  json["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "alert";
  EXPECT_EQ(
      std::get<McpEnvelope>(read_modern_envelope(make_message(json))).log_level,
      LogLevel::Alert);
}

TEST(McpStatus, MapsErrorsPerEra) {
  struct Row {
    int code;
    FailureOrigin origin;
    int modern;
    int legacy;
  };
  const auto envelope = FailureOrigin::Envelope;
  const auto request = FailureOrigin::Request;
  for (const Row& row : std::vector<Row>{
           {kParseError, envelope, 400, 400},
           {kInvalidRequest, envelope, 400, 400},
           {kMethodNotFound, request, 404, 200},
           {kInvalidParams, envelope, 400, 200},
           {kInvalidParams, request, 200, 200},
           {kInternalError, request, 200, 200},
           {kHeaderMismatch, request, 400, 200},
           {kMissingCapability, request, 400, 200},
           {kUnsupportedVersion, envelope, 400, 200},
           {kLegacyResourceNotFound, request, 200, 200},
       }) {
    EXPECT_EQ(http_status(Era::Modern, row.code, row.origin), row.modern)
        << row.code;
    EXPECT_EQ(http_status(Era::Legacy, row.code, row.origin), row.legacy)
        << row.code;
  }
}

}  // namespace
}  // namespace lamarck::mcp
