#include "lamarck/llm/token_usage.h"

#include <gtest/gtest.h>

#include "lamarck/llm/chat_model.h"

namespace lamarck::llm {
namespace {

TEST(TokenUsage, CostIsPerMillionTokensRoundedUp) {
  const ModelPrice price{.input = 0.15, .output = 0.6};
  EXPECT_EQ(money_micros({.tokens_in = 1'000'000}, price), 150'000);
  EXPECT_EQ(money_micros({.tokens_in = 1, .tokens_out = 1}, price), 1);
  EXPECT_EQ(money_micros({}, price), 0);
}

TEST(TokenUsage, EstimateIsHigh) {
  // About 10 tokens in common vocabularies.
  EXPECT_GE(estimated_tokens("The quick brown fox jumps over the lazy dog."),
            10);
  EXPECT_EQ(estimated_tokens(""), 0);
  const ChatRequest request{.messages = {{.text = "12345678"}},
                            .max_tokens = 50};
  EXPECT_EQ(
      max_usage(request),
      (TokenUsage{.tokens_in = 12, .tokens_out = 50, .is_estimated = true}));
}

TEST(TokenUsage, CountsMoneyOnlyWithPrice) {
  const TokenUsage usage{.tokens_in = 3, .tokens_out = 4};
  EXPECT_EQ(budget_amounts(usage, std::nullopt), (BudgetAmounts{.tokens = 7}));
  EXPECT_EQ(budget_amounts(usage, ModelPrice{.input = 1, .output = 2}),
            (BudgetAmounts{.tokens = 7, .money_micros = 11}));
  EXPECT_EQ(cost_fields(usage, std::nullopt),
            (Error::Fields{{"tokens_in", "3"}, {"tokens_out", "4"}}));
}

TEST(TokenUsage, MoneyLimitRequiresPrice) {
  EXPECT_TRUE(check_price_known({.tokens = 5}, std::nullopt));
  EXPECT_TRUE(check_price_known({.money_micros = 5}, ModelPrice{}));
  const auto refused = check_price_known({.money_micros = 5}, std::nullopt);
  EXPECT_EQ(refused.error().code(), ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message().find("llm.price_in"), std::string::npos);
}

}  // namespace
}  // namespace lamarck::llm
