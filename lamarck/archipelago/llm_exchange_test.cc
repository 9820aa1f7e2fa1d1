#include "lamarck/archipelago/llm_exchange.h"

#include <gtest/gtest.h>

#include "lamarck/llm/scripted_chat_model_fixture.h"
#include "lamarck/llm/token_usage.h"

namespace lamarck::archipelago {
namespace {

using llm::ChatRequest;
using llm::ScriptedChatModel;

ChatRequest question() {
  ChatRequest request;
  request.messages = {{llm::Role::User, "Improve this function."}};
  request.max_tokens = 100;
  return request;
}

TEST(LlmExchange, KeepsTheConversationAndAddsUpItsCost) {
  ManualClock clock;
  ScriptedChatModel model({std::string("first"), std::string("second")},
                          llm::ModelPrice{.input = 1, .output = 2});
  LlmExchange exchange(model, clock, nullptr, question());
  const auto first = exchange.ask({});
  ASSERT_TRUE(first);
  exchange.say({llm::Role::User, "Try again."});
  const auto second = exchange.ask({});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->text, "second");
  ASSERT_EQ(exchange.messages().size(), 4u);
  EXPECT_EQ(exchange.messages()[1].role, llm::Role::Assistant);
  EXPECT_EQ(exchange.messages()[1].text, "first");
  EXPECT_EQ(model.requests()[1].messages.size(), 3u);
  EXPECT_EQ(exchange.cost().tokens_in,
            first->usage.tokens_in + second->usage.tokens_in);
  EXPECT_EQ(exchange.cost().tokens_out,
            first->usage.tokens_out + second->usage.tokens_out);
  EXPECT_EQ(exchange.cost().money_micros,
            *first->money_micros + *second->money_micros);
  EXPECT_GT(exchange.cost().money_micros, 0);
}

TEST(LlmExchange, OneTimeoutCoversAllCalls) {
  ManualClock clock;
  ScriptedChatModel model({std::string("yes")});
  ChatRequest request = question();
  EXPECT_EQ(LlmExchange(model, clock, nullptr, request).time_left(),
            std::nullopt);
  request.timeout = std::chrono::milliseconds(1000);
  LlmExchange exchange(model, clock, nullptr, request);
  ASSERT_TRUE(exchange.ask({}));
  clock.advance(std::chrono::milliseconds(400));
  EXPECT_EQ(exchange.time_left(), std::chrono::milliseconds(600));
  ASSERT_TRUE(exchange.ask({}));
  EXPECT_EQ(model.requests()[0].timeout, std::chrono::milliseconds(1000));
  EXPECT_EQ(model.requests()[1].timeout, std::chrono::milliseconds(600));
}

TEST(LlmExchange, SettlesTheBudgetWithTheActualCost) {
  ManualClock clock;
  Budget budget({.tokens = 10'000}, clock);
  ScriptedChatModel model({std::string("yes")});
  LlmExchange exchange(model, clock, &budget, question());
  const auto reply = exchange.ask({});
  ASSERT_TRUE(reply);
  EXPECT_EQ(budget.spent().tokens, reply->usage.total());
  EXPECT_EQ(budget.reserved().tokens, 0);
}

TEST(LlmExchange, DoesNotAskIfTheBudgetCannotCoverTheLargestAnswer) {
  ManualClock clock;
  Budget budget({.tokens = 50}, clock);
  ScriptedChatModel model({std::string("yes")});
  LlmExchange exchange(model, clock, &budget, question());
  const auto reply = exchange.ask({});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), ErrorCode::BudgetExceeded);
  EXPECT_TRUE(model.requests().empty());
  EXPECT_EQ(exchange.messages().size(), 1u);
}

TEST(LlmExchange, CountsTheCostOfFailedCalls) {
  ManualClock clock;
  Budget budget({.tokens = 10'000}, clock);
  const Error error(
      ErrorCode::Timeout, "The model was too slow.",
      {{"tokens_in", "30"}, {"tokens_out", "12"}, {"money_micros", "5"}});
  ScriptedChatModel model({error});
  LlmExchange exchange(model, clock, &budget, question());
  ASSERT_FALSE(exchange.ask({}));
  EXPECT_EQ(exchange.cost().tokens_in, 30);
  EXPECT_EQ(exchange.cost().tokens_out, 12);
  EXPECT_EQ(exchange.cost().money_micros, 5);
  EXPECT_EQ(budget.spent().tokens, 42);
  EXPECT_EQ(exchange.messages().size(), 1u);
}

}  // namespace
}  // namespace lamarck::archipelago
