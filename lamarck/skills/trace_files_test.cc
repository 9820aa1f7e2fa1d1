#include "lamarck/skills/trace_files.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::skills {
namespace {

TEST(TraceFiles, ReadsChatsWithToolCalls) {
  const TraceFile file = read_trace_text(R"({"messages": [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Read a.txt"},
    {"role": "assistant", "content": null, "tool_calls": [
      {"id": "1", "type": "function",
       "function": {"name": "read_file", "arguments": "{\"path\": \"a.txt\"}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "{\"size\": 3}"},
    {"role": "assistant", "content": "It has 3 bytes."},
    {"role": "alien", "content": "?"}]})",
                                         "chat.json")
                             .value();
  ASSERT_EQ(file.traces.size(), 1u);
  const Trace& trace = file.traces[0];
  EXPECT_EQ(trace.request, "Read a.txt");
  ASSERT_EQ(trace.calls.size(), 1u);
  EXPECT_EQ(trace.calls[0].tool, "read_file");
  EXPECT_EQ(trace.calls[0].arguments, (Json{{"path", "a.txt"}}));
  EXPECT_EQ(trace.calls[0].result, (Json{{"size", 3}}));
  EXPECT_TRUE(trace.calls[0].succeeded);
  EXPECT_TRUE(trace.reflection.success);
  EXPECT_EQ(trace.answer, "It has 3 bytes.");
  EXPECT_EQ(file.unknown_lines, 1u);
  EXPECT_EQ(file.formats, (std::vector<std::string>{"chat"}));
}

TEST(TraceFiles, ReadsSessionLogsAndCountsUnknownLines) {
  const TraceFile file = read_trace_text(
                             R"({"type":"summary","summary":"x"}
{"type":"user","sessionId":"s1","message":{"role":"user","content":"List the files"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"Sure."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a.txt"}]}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Read","input":{"path":"a.txt"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"no"}]}}
not json
{"what": 1}
{"type":"user","message":{"content":"Now count them"}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t3","name":"Count","input":{}}]}}
)",
                             "log.jsonl")
                             .value();
  ASSERT_EQ(file.traces.size(), 2u);
  EXPECT_EQ(file.traces[0].session_id, "s1");
  EXPECT_EQ(file.traces[0].calls[0].result, "a.txt");
  EXPECT_FALSE(file.traces[0].calls[1].succeeded);
  EXPECT_FALSE(file.traces[0].reflection.success);
  EXPECT_EQ(file.traces[1].request, "Now count them");
  EXPECT_FALSE(file.traces[1].calls[0].succeeded);  // It has no result.
  EXPECT_EQ(file.unknown_lines, 2u);
}

TEST(TraceFiles, ReadsFunctionCallsOfRollouts) {
  const TraceFile file = read_trace_text(
                             R"({"type":"session_meta","payload":{"id":"x"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Run it"}]}}
{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c1"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"a\",\"metadata\":{}}"}}
)",
                             "r.jsonl")
                             .value();
  ASSERT_EQ(file.traces.size(), 1u);
  EXPECT_EQ(file.traces[0].request, "Run it");
  EXPECT_EQ(file.traces[0].calls[0].arguments["command"][0], "ls");
  EXPECT_EQ(file.traces[0].calls[0].result, "a");
  EXPECT_EQ(file.unknown_lines, 0u);
}

TEST(TraceFiles, ReadsOpenTelemetrySpans) {
  const TraceFile file = read_trace_text(R"({"resourceSpans": [{"scopeSpans": [
    {"spans": [
      {"name": "chat m", "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {"key": "gen_ai.input.messages", "value": {"stringValue":
          "[{\"role\": \"user\", \"parts\": [{\"type\": \"text\", \"content\": \"Find Ada\"}]}]"}}]},
      {"name": "execute_tool find", "spanId": "1", "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
        {"key": "gen_ai.tool.name", "value": {"stringValue": "find"}},
        {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": "{\"name\": \"Ada\"}"}},
        {"key": "gen_ai.tool.call.result", "value": {"stringValue": "{\"id\": 7}"}}]}]}]}]})",
                                         "spans.json")
                             .value();
  ASSERT_EQ(file.traces.size(), 1u);
  EXPECT_EQ(file.traces[0].request, "Find Ada");
  EXPECT_EQ(file.traces[0].calls[0].arguments, (Json{{"name", "Ada"}}));
  EXPECT_EQ(file.traces[0].calls[0].result, (Json{{"id", 7}}));
}

TEST(TraceFiles, RedactsSecretsAndRefusesFilesWithoutCalls) {
  const TraceFile file = read_trace_text(R"([
    {"role": "user", "content": "Log in with password=hunter2secret"},
    {"role": "assistant", "tool_calls": [{"id": "1", "function":
      {"name": "login", "arguments": "{\"password\": \"hunter2secret\"}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "ok"}])",
                                         "x")
                             .value();
  EXPECT_EQ(dump_json(to_json(file.traces[0])).find("hunter2secret"),
            std::string::npos);
  EXPECT_EQ(file.redactions, 1u);
  EXPECT_FALSE(read_trace_text("", "x"));
  EXPECT_FALSE(read_trace_text("[1, 2]", "x"));
  EXPECT_FALSE(read_trace_text("hello\nworld", "x"));
}

}  // namespace
}  // namespace lamarck::skills
