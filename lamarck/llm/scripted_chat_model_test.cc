#include "lamarck/llm/scripted_chat_model_fixture.h"

#include <gtest/gtest.h>

namespace lamarck::llm {
namespace {

TEST(ScriptedChatModel, AnswersInOrderAndRepeatsLast) {
  ScriptedChatModel model(
      {std::string("one"), Error(ErrorCode::Unavailable, "down"),
       std::string("three")},
      ModelPrice{.input = 1, .output = 1});
  const ChatRequest request{.messages = {{.text = "question"}}};

  EXPECT_EQ(model.complete(request, {})->text, "one");
  EXPECT_EQ(model.complete(request, {}).error().message(), "down");
  std::string received;
  EXPECT_TRUE(model.stream(
      request, [&](std::string_view piece) { received += piece; }, {}));
  EXPECT_EQ(received, "three");
  const auto last = model.complete(request, {});
  EXPECT_EQ(last->text, "three");
  EXPECT_EQ(last->money_micros, last->usage.total());
  EXPECT_EQ(model.requests().size(), 4u);
}

}  // namespace
}  // namespace lamarck::llm
