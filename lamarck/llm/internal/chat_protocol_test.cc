#include "lamarck/llm/internal/chat_protocol.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/base/rng.h"

namespace lamarck::llm::internal {
namespace {

const ChatModel::OnText kIgnore = [](std::string_view) {};

Result<WireReply> read_stream(std::string_view bytes) {
  ChatStream stream(kIgnore);
  stream.feed(bytes);
  return stream.finish();
}

TEST(ChatProtocol, SendsOnlySetFields) {
  const ChatRequest bare{.messages = {{Role::User, "hi"}}, .max_tokens = 9};
  EXPECT_EQ(chat_body(bare, {.model = "m"}),
            R"({"max_tokens":9,"messages":[{"content":"hi","role":"user"}],)"
            R"("model":"m"})");

  const ChatRequest full{.messages = {{Role::System, "s"}},
                         .max_tokens = 9,
                         .temperature = 0.5,
                         .seed = 7,
                         .stop = {"END"}};
  const Json body =
      parse_json(
          chat_body(full, {.model = "m",
                           .streams = true,
                           .limit_name = LimitName::MaxCompletionTokens}))
          .value();
  EXPECT_EQ(body["max_completion_tokens"], 9);
  EXPECT_FALSE(body.contains("max_tokens"));
  EXPECT_EQ(body["temperature"], 0.5);
  EXPECT_EQ(body["seed"], 7);
  EXPECT_EQ(body["stop"], Json::array({"END"}));
  EXPECT_EQ(body["stream_options"]["include_usage"], true);
}

TEST(ChatProtocol, ReadsContentInEveryForm) {
  const auto text = [](const std::string& content) {
    return parse_chat_reply(R"({"choices":[{"message":{"content":)" + content +
                            "}}]}")
        ->text;
  };
  EXPECT_EQ(text(R"("plain")"), "plain");
  EXPECT_EQ(text(R"([{"type":"text","text":"a"},{"type":"x"},{"text":"b"}])"),
            "ab");
  EXPECT_EQ(text("null"), std::nullopt);
  EXPECT_EQ(text("3"), std::nullopt);
}

TEST(ChatProtocol, RejectsInvalidAnswers) {
  for (const char* wrong :
       {"", "oops", "[]", "{}", R"({"choices":[]})", R"({"choices":{}})",
        R"({"choices":[3]})", R"({"choices":[{"text":"old"}]})",
        R"({"choices":[{"message":null}]})", R"({"error":"overloaded"})"}) {
    const auto reply = parse_chat_reply(wrong);
    ASSERT_FALSE(reply) << wrong;
    EXPECT_EQ(reply.error().code(), ErrorCode::Unavailable) << wrong;
  }
}

TEST(ChatProtocol, IgnoresImplausibleUsage) {
  const auto usage = [](const char* text) {
    return read_usage(parse_json(text).value());
  };
  EXPECT_EQ(usage(R"({"usage":{"prompt_tokens":3,"completion_tokens":4}})"),
            (TokenUsage{.tokens_in = 3, .tokens_out = 4}));
  for (const char* wrong :
       {"{}", R"({"usage":null})", R"({"usage":{"prompt_tokens":"3"}})",
        R"({"usage":{"prompt_tokens":-3,"completion_tokens":1}})",
        R"({"usage":{"prompt_tokens":3,"completion_tokens":1e18}})"}) {
    EXPECT_EQ(usage(wrong), std::nullopt) << wrong;
  }
}

TEST(ChatProtocol, JoinsPiecesOfStream) {
  std::vector<std::string> pieces;
  const ChatModel::OnText listen = [&](std::string_view piece) {
    pieces.emplace_back(piece);
  };
  ChatStream stream(listen);
  EXPECT_TRUE(stream.feed(
      "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{\"content\":\"ab\"}}]}\n\nda"));
  EXPECT_TRUE(
      stream.feed("ta: {\"choices\":[{\"delta\":{\"content\":\"c\"},"
                  "\"finish_reason\":\"length\"}]}\n\n"
                  "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,"
                  "\"completion_tokens\":2}}\n\n"));
  EXPECT_FALSE(stream.feed("data: [DONE]\n\n"));

  const auto reply = stream.finish();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->text, "abc");
  EXPECT_EQ(reply->finish, FinishReason::Length);
  EXPECT_EQ(reply->usage, (TokenUsage{.tokens_in = 1, .tokens_out = 2}));
  EXPECT_EQ(pieces, (std::vector<std::string>{"ab", "c"}));
}

TEST(ChatProtocol, AcceptsWholeAnswerInsteadOfStream) {
  const auto reply =
      read_stream(R"( {"choices":[{"message":{"content":"whole"}}]})");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->text, "whole");
}

TEST(ChatProtocol, DetectsTruncatedStream) {
  EXPECT_FALSE(
      read_stream("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"));
  EXPECT_FALSE(read_stream("data: {\"choices\":[{\"del"));
  EXPECT_FALSE(read_stream(""));
  EXPECT_FALSE(read_stream("data: {\"error\":{\"message\":\"full\"}}\n\n"));
}

TEST(ChatProtocol, AcceptsArbitraryInputWithoutCrashing) {
  const std::string_view alphabet =
      "{}[]\",:data: "
      "\n\r\\u12null\"choices\":[{\"delta\":{\"content\":\"x\"}}]";
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    std::string bytes = rng.chance(0.5) ? "data: " : "{";
    for (int i = 0; i < 60; ++i) {
      const std::size_t at = rng.below(alphabet.size());
      bytes += alphabet.substr(at, 1 + rng.below(12));
    }
    static_cast<void>(read_stream(bytes));
    static_cast<void>(parse_chat_reply(bytes));
  }
}

}  // namespace
}  // namespace lamarck::llm::internal
